//! Runs samples through a filter.

trait Filter {
    fn apply(&self, sample: u32) -> u32;
}

struct Gain(u32);

impl Filter for Gain {
    fn apply(&self, sample: u32) -> u32 {
        sample.wrapping_mul(self.0) >> 1
    }
}

struct Cut(u32);

impl Filter for Cut {
    fn apply(&self, sample: u32) -> u32 {
        sample & self.0
    }
}

#[cfg(open)]
#[inline(never)]
fn run(filter: &dyn Filter, samples: &[u32]) -> u64 {
    samples.iter().map(|&s| (filter.apply(s) as u64).rotate_left(3)).fold(0, |a, b| a ^ (b + (a >> 9)))
}

#[cfg(not(open))]
#[inline(never)]
fn run<F: Filter>(filter: &F, samples: &[u32]) -> u64 {
    samples.iter().map(|&s| (filter.apply(s) as u64).rotate_left(3)).fold(0, |a, b| a ^ (b + (a >> 9)))
}

fn main() {
    let samples: Vec<u32> = (0..4000).collect();
    let mut sum = 0u64;
    for round in 0..8000u32 {
        sum ^= run(&Gain(round), &samples);
        sum ^= run(&Cut(round | 255), &samples);
    }
    println!("{sum}");
}
