//! Lets a Rust program take turns under whyfast. One file, the standard library alone, Unix.
//!
//! Copy it beside the program, or name it by its path:
//!
//! ```ignore
//! mod whyfast_turn;
//!
//! fn main() {
//!     let table: Vec<u64> = (0..1000).collect();
//!     whyfast_turn::bench("sum", || table.iter().sum::<u64>());
//!     whyfast_turn::bench("max", || table.iter().max().copied());
//! }
//! ```
//!
//! Started by whyfast, the program serves the benchmark that its first argument names (without one,
//! the first) and ends. Started by hand, it measures those whose names contain the argument, and
//! prints nanoseconds per loop. The protocol is described in docs/turn-protocol.md.

#![allow(dead_code)]

use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::time::{Duration, Instant};

const VARIABLE: &str = "WHYFAST_TURN";
const LONGEST_ERROR: usize = 240;
/// By hand: loops are doubled until they take this long.
const LONG_ENOUGH: Duration = Duration::from_millis(50);

/// Benchmarks `f`, whose result the compiler cannot discard; no check value.
pub fn bench<R>(name: &str, mut f: impl FnMut() -> R) {
    turns(name, |loops| {
        for _ in 0..loops {
            black_box(f());
        }
        String::new()
    });
}

/// Benchmarks `f`; its result, as `{}` writes it, is the check value. It must be one word, the same
/// for every variant and every call.
pub fn bench_checked<R: ToString>(name: &str, mut f: impl FnMut() -> R) {
    turns(name, |loops| {
        let mut last = None;
        for _ in 0..loops {
            last = Some(black_box(f()));
        }
        last.map_or_else(String::new, |result| result.to_string())
    });
}

/// Benchmarks `run`, which does the work `loops` times and returns a check value (empty: none).
/// Everything that it does is timed; making the check value should cost next to nothing.
pub fn turns(name: &str, mut run: impl FnMut(u64) -> String) {
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    match descriptors() {
        Some(found) if wanted.as_deref().is_none_or(|w| w == name) => serve(found, &mut run),
        Some(_) => {}
        None if wanted.is_none_or(|w| name.contains(&w)) => measure(name, &mut run),
        None => {}
    }
}

/// Says that this program has no such benchmark, and why, and ends: that is no failure.
pub fn lacks(reason: &str) -> ! {
    let Some((_, out)) = descriptors() else {
        eprintln!("no such benchmark: {reason}");
        std::process::exit(2)
    };
    answer(&mut pipe(out), &format!("lacks {}", one_line(reason)));
    std::process::exit(0)
}

fn descriptors() -> Option<(i32, i32)> {
    let text = std::env::var(VARIABLE).ok()?;
    let mut numbers = text.split(',').map(numeral::<i32>);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Some(grants)), Some(Some(answers)), None) => Some((grants, answers)),
        _ => {
            eprintln!("{VARIABLE} is malformed: expected two file descriptors, IN,OUT");
            std::process::exit(2)
        }
    }
}

/// A decimal number of digits only: `parse` alone would take a sign.
fn numeral<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

fn pipe(descriptor: i32) -> File {
    // SAFETY: whyfast opened it for this program, and nothing else here knows its number.
    unsafe { File::from_raw_fd(descriptor) }
}

fn serve((grants, answers): (i32, i32), run: &mut dyn FnMut(u64) -> String) -> ! {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        before(panic);
        let text = one_line(&panic.to_string());
        answer(&mut pipe(answers), &format!("error {text}"));
        std::process::exit(1);
    }));
    let (mut input, mut output) = (pipe(grants), pipe(answers));
    answer(&mut output, "ready 1");
    let mut waiting = Vec::new();
    loop {
        let Some(line) = next_line(&mut input, &mut waiting) else { std::process::exit(0) };
        let Some(loops) = numeral::<u64>(&line).filter(|loops| *loops > 0) else {
            answer(&mut output, "error malformed grant");
            std::process::exit(2)
        };
        let start = Instant::now();
        let check = run(loops);
        let took = start.elapsed();
        let separator = if check.is_empty() { "" } else { " " };
        let (seconds, rest) = (took.as_secs(), took.subsec_nanos());
        answer(&mut output, &format!("{seconds}.{rest:09}{separator}{check}"));
    }
}

/// The next line without its end, None at the end of file; what a file ends with in the middle of a
/// line is no number.
fn next_line(input: &mut File, waiting: &mut Vec<u8>) -> Option<String> {
    let mut piece = [0; 512];
    loop {
        if let Some(end) = waiting.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = waiting.drain(..=end).collect();
            return Some(String::from_utf8_lossy(&line[..end]).into_owned());
        }
        match input.read(&mut piece) {
            Ok(0) if waiting.is_empty() => return None,
            Ok(0) => return Some(String::from("cut short")),
            Ok(got) => waiting.extend_from_slice(&piece[..got]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => {
                eprintln!("cannot read from whyfast: {error}");
                std::process::exit(1)
            }
        }
    }
}

fn answer(output: &mut File, line: &str) {
    if let Err(error) = output.write_all(format!("{line}\n").as_bytes()) {
        eprintln!("cannot write to whyfast: {error}");
        std::process::exit(1);
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_ERROR).collect()
}

/// For a human: as many loops as take 50 ms, and the fastest of seven values.
fn measure(name: &str, run: &mut dyn FnMut(u64) -> String) {
    let mut timed = |loops| {
        let start = Instant::now();
        let check = run(loops);
        (start.elapsed(), check)
    };
    let mut loops = 1;
    let (mut best, mut check) = timed(loops);
    while best < LONG_ENOUGH && loops <= u64::MAX / 4 {
        loops *= 2;
        (best, check) = timed(loops);
    }
    for _ in 0..6 {
        best = best.min(timed(loops).0);
    }
    let each = best.as_nanos() as f64 / loops as f64;
    let end = if check.is_empty() { String::new() } else { format!(", check {check}") };
    println!("{name}: {each:.1} ns per loop (fastest of 7 values of {loops} loops){end}");
}
