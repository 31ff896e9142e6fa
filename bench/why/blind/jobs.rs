// A scheduler of print jobs: counts colours, parses titles, estimates costs, builds paths of folders.
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

#[derive(Default, Clone, Copy)]
struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for b in bytes {
            self.write_u32(u32::from(*b));
        }
    }
    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(value)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

type Counts = HashMap<u32, u32>; //SIPHASH
type Counts = HashMap<u32, u32, BuildHasherDefault<Multiply>>; //-SIPHASH

#[inline(never)]
fn colours(page: &[u32]) -> (usize, u32) {
    let mut counts = Counts::default();
    for dot in page {
        *counts.entry(*dot).or_insert(0) += 1;
    }
    (counts.len(), counts.values().copied().max().unwrap_or(0))
}

trait Cost {
    fn cost(&self, pages: u32) -> u32;
}
struct Plain(u32);
struct Glossy(u32, u32);
impl Cost for Plain {
    fn cost(&self, pages: u32) -> u32 {
        pages.wrapping_mul(self.0)
    }
}
impl Cost for Glossy {
    fn cost(&self, pages: u32) -> u32 {
        pages.wrapping_mul(self.0) ^ self.1
    }
}

#[inline(never)]
fn estimate(paper: &dyn Cost, pages: &[u32]) -> u32 { //DYN
fn estimate(paper: &impl Cost, pages: &[u32]) -> u32 { //-DYN
    let mut sum = 0u32;
    for n in pages {
        sum = sum.rotate_left(3).wrapping_add(paper.cost(*n));
    }
    sum
}

// Letters of a title that follow a blank.
#[inline(never)]
fn initials(title: &str) -> u32 {
    let mut found = 0;
    let mut blank = true;
    for i in 0..title.chars().count() { //NTH
        let c = title.chars().nth(i).unwrap(); //NTH
    for c in title.chars() { //-NTH
        if blank && c.is_alphabetic() {
            found += 1;
        }
        blank = c == ' ';
    }
    found
}

// Mixes the ink of dots of four colours, eight dots at a time.
#[inline(never)]
fn overlay(dots: &[[u8; 4]], curve: &[u32; 256]) -> u32 {
    let mut ink = 0u32;
    let mut mixed = Vec::new(); //-COLLECT
    for group in dots.chunks(8) {
        let mix = |[c, m, y, k]: &[u8; 4]| curve[usize::from(*c ^ *k)] + curve[usize::from(m ^ y)];
        let mixed: Vec<u32> = group.iter().map(mix).collect(); //COLLECT
        mixed.clear(); //-COLLECT
        mixed.extend(group.iter().map(mix)); //-COLLECT
        ink = ink.rotate_left(1) ^ mixed.iter().max().unwrap() ^ mixed[mixed.len() / 2];
    }
    ink
}

// The numbers of folders from the root down to that of a job.
#[inline(never)]
fn path(job: u32) -> Vec<u32> {
    let mut folders = Vec::new();
    let mut folder = job;
    while folder > 3 {
        folders.insert(0, folder); //PREPEND
        folders.push(folder); //-PREPEND
        folder -= 3;
    }
    folders.reverse(); //-PREPEND
    folders
}

fn main() {
    let mut state = 88_172_645u32;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let page: Vec<u32> = (0..700_000).map(|_| draw() % 3000 * 7919).collect();
    let titles: Vec<String> = (0..400)
        .map(|n| format!("Report {} on the Größe of Things and their colours, part {n}", draw() % 90))
        .collect();
    let (mut distinct, mut most) = (0, 0);
    for part in 0..3 {
        let (n, m) = colours(&page[part * 9..]);
        (distinct, most) = (distinct + n, most + m);
    }
    let found: u32 = (0..60).flat_map(|_| titles.iter()).map(|t| initials(t)).sum();
    let words = std::env::args().count();
    let mut costs = 0u32;
    for round in 0..30 {
        if words < 9 && round % 2 == 0 {
            costs = costs.wrapping_add(estimate(&Plain(round), &page));
        } else {
            costs = costs.wrapping_mul(estimate(&Glossy(round, 77), &page));
        }
    }
    let dots: Vec<[u8; 4]> = page[..100_000].iter().map(|d| d.to_le_bytes()).collect();
    let curve = std::array::from_fn(|v| v as u32 * (300 - v as u32) / 5);
    let mut ink = 0;
    for row in 0..100 {
        ink ^= overlay(&dots[row..], &curve);
    }
    let depth: usize = (0..8).map(|j| path(60_000 + j).iter().map(|f| *f as usize % 5).sum::<usize>()).sum();
    println!("{distinct} {most} {found} {costs} {} {depth}", ink);
}
