// Counts visits by page and finds which visitors came again.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

#[derive(Default)]
struct Product(u64);

impl Hasher for Product {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }
    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

#[allow(dead_code)]
type Quick<K, V> = HashMap<K, V, BuildHasherDefault<Product>>;
#[cfg(not(other))]
type Counts = HashMap<(u32, u32), u32>; //STANDARD
#[cfg(not(other))]
type Counts = Quick<(u32, u32), u32>; //-STANDARD

#[cfg(not(other))]
mod log {
    use super::Counts;

    pub struct Visits(pub u64);

    impl Iterator for Visits {
        type Item = (u32, u32);
        fn next(&mut self) -> Option<(u32, u32)> {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            Some(((self.0 >> 54) as u32, (self.0 >> 33) as u32 % 40))
        }
    }

    pub fn counts(visits: usize) -> Counts {
        let mut counts = Counts::default();
        for visit in Visits(43).take(visits) {
            *counts.entry(visit).or_insert(0) += 1;
        }
        counts
    }
}

// The same in other words.
#[cfg(other)]
mod log {
    use super::Quick;

    type Table = Quick<(u32, u32), u32>;

    fn following(seed: u64) -> u64 {
        6364136223846793005u64.wrapping_mul(seed).wrapping_add(1442695040888963407)
    }

    pub fn counts(how_many: usize) -> Table {
        let mut table: Table = Table::default();
        for (visitor, page) in (Requests { seed: 43 }).take(how_many) {
            let count = table.entry((visitor, page)).or_insert(0);
            *count += 1;
        }
        table
    }

    struct Requests {
        seed: u64,
    }

    impl Iterator for Requests {
        type Item = (u32, u32);

        fn next(&mut self) -> Option<Self::Item> {
            self.seed = following(self.seed);
            let visitor = (self.seed >> 54) as u32;
            let page = (self.seed >> 33) as u32 % 40;
            Some((visitor, page))
        }
    }
}

fn main() {
    let counts = log::counts(9_000_000);
    let again = counts.values().filter(|n| **n > 220).count();
    let most = counts.values().max().unwrap();
    println!("{} {again} {most}", counts.len());
}
