//! Runs a program by rbpf's interpreter, in turns; one loop is one execution.
//!
//!     rbpf-driver PROGRAM MEMORY_SIZE
//!
//! rbpf checks every access and has no limit of instructions. It does not say how long the memory
//! is, so one instruction that sets r2 is put before the program.

use std::any::Any;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::FromRawFd;
use std::time::Instant;

struct Job {
    program: Vec<u8>,
    image: Vec<u8>,
}

fn read_program(path: &str, memory: usize) -> Vec<u8> {
    let text = std::fs::read_to_string(path).expect("the program cannot be read");
    let mut code = vec![0xb7, 2, 0, 0];

    code.extend((memory as u32).to_le_bytes());
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or("");

        for byte in line.split_whitespace() {
            code.push(u8::from_str_radix(byte, 16).expect("the program is no hexadecimal text"));
        }
    }
    code
}

/// rbpf has 512 bytes for the frames of all functions together.
fn frame_size(_program: &[u8], _pc: usize, _data: &mut dyn Any) -> u16 {
    256
}

fn run(vm: &rbpf::EbpfVmRaw, memory: &mut [u8], job: &Job, loops: u64) -> Result<u64, String> {
    let mut result = 0;

    for _ in 0..loops {
        memory.copy_from_slice(&job.image);
        // The machine keeps no reference after the call, but its signature says it might.
        let lent: &mut [u8] =
            unsafe { std::slice::from_raw_parts_mut(memory.as_mut_ptr(), memory.len()) };

        result = vm.execute_program(lent).map_err(|error| error.to_string())?;
    }
    Ok(result)
}

fn serve(vm: &rbpf::EbpfVmRaw, memory: &mut [u8], job: &Job, descriptors: &str) -> i32 {
    let numbers: Vec<i32> = descriptors.split(',').filter_map(|n| n.parse().ok()).collect();
    let [input, output] = numbers[..] else {
        eprintln!("WHYFAST_TURN is malformed: expected two file descriptors, IN,OUT");
        return 2;
    };
    // They were inherited for this, and nobody else here uses them.
    let (input, mut output) = unsafe { (File::from_raw_fd(input), File::from_raw_fd(output)) };

    let _ = output.write_all(b"ready 1\n");
    for line in BufReader::new(input).lines() {
        let loops = match line.ok().and_then(|line| line.parse().ok()) {
            Some(loops) if loops > 0 => loops,
            _ => {
                let _ = output.write_all(b"error malformed grant\n");
                return 2;
            }
        };
        let start = Instant::now();
        let result = run(vm, memory, job, loops);
        let seconds = start.elapsed().as_secs_f64();
        let answer = match result {
            Ok(check) => format!("{seconds:.9} {check:#x}\n"),
            Err(message) => format!("error {}\n", message.replace('\n', " ")),
        };

        if output.write_all(answer.as_bytes()).is_err() || answer.starts_with("error") {
            return 1;
        }
    }
    0
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let memory_size = arguments.get(2).and_then(|text| text.parse().ok());
    let (Some(path), Some(memory_size)) = (arguments.get(1), memory_size) else {
        eprintln!("driver: expected PROGRAM MEMORY_SIZE");
        std::process::exit(2);
    };
    let job = Job { program: read_program(path, memory_size), image: vec![0; memory_size] };
    let mut memory = job.image.clone();
    let mut vm = rbpf::EbpfVmRaw::new(None).expect("an empty machine");

    vm.set_stack_usage_calculator(frame_size, Box::new(())).expect("no program yet");
    if let Err(error) = vm.set_program(&job.program) {
        eprintln!("driver: {error}");
        std::process::exit(2);
    }
    match std::env::var("WHYFAST_TURN") {
        Ok(descriptors) => std::process::exit(serve(&vm, &mut memory, &job, &descriptors)),
        Err(_) => match run(&vm, &mut memory, &job, 1) {
            Ok(result) => println!("{result:#x}"),
            Err(message) => {
                eprintln!("driver: {message}");
                std::process::exit(1);
            }
        },
    }
}
