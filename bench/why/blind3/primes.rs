// Writes the primes below a bound, with their distance to the one before, to a file.

use std::fs::File;
use std::io::{self, Write};

fn primes(bound: usize) -> Vec<usize> {
    let mut composite = vec![false; bound];
    let mut primes = Vec::new();
    for n in 2..bound {
        if !composite[n] {
            primes.push(n);
            let mut multiple = n * n;
            while multiple < bound {
                composite[multiple] = true;
                multiple += n;
            }
        }
    }
    primes
}

fn main() -> io::Result<()> {
    let primes = primes(8_000_000);
    let name = format!("primes-{}.txt", std::process::id());
    let mut file = File::create(&name)?; //DIRECT
    let mut file = io::BufWriter::new(File::create(&name)?); //-DIRECT
    for pair in primes.windows(2).step_by(24) {
        writeln!(file, "{} {}", pair[1], pair[1] - pair[0])?;
    }
    file.flush()?;
    println!("{} {}", primes.len(), std::fs::metadata(&name)?.len());
    std::fs::remove_file(name)
}
