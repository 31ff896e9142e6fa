// Sums up the rides between stops, by line and by pairs of stops, from the log of a tram company.
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, prelude::*, BufReader, BufWriter};

const HEAD: usize = 12;

struct Ride {
    line: u16,
    from: u16,
    to: u16,
    fare: u32,
}

// Each record has a head, and behind some there is a note of the driver that only people read.
fn written(path: &std::path::Path, rides: u32) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut seed = 23u32;
    for _ in 0..rides {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let note = if seed >> 28 == 0 { 20 + (seed >> 24) as u16 } else { 0 };
        for part in [(seed >> 8) as u16 % 14, (seed >> 12) as u16 % 30, (seed >> 17) as u16 % 30] {
            out.write_all(&part.to_le_bytes())?;
        }
        out.write_all(&(150 + (seed >> 20) % 300).to_le_bytes())?;
        out.write_all(&note.to_le_bytes())?;
        out.write_all(&vec![b'.'; note as usize])?;
    }
    out.flush()
}

struct Log {
    file: BufReader<File>,
    left: u32,
}

impl Log {
    fn next(&mut self) -> io::Result<Option<Ride>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut head = [0u8; HEAD];
        self.file.read_exact(&mut head)?;
        let two = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let fare = u32::from_le_bytes([head[6], head[7], head[8], head[9]]);
        let note = i64::from(two(10));
        if note > 0 {
            self.file.seek_relative(note)?; //-SEEK
            self.file.seek(io::SeekFrom::Current(note))?; //SEEK
        }
        Ok(Some(Ride { line: two(0), from: two(2), to: two(4), fare }))
    }
}

#[derive(Default)]
struct Sums {
    lines: [u64; 14],
    fares: Vec<u32>,
    pairs: HashMap<(u16, u16), (u32, u64)>, //-TEXT
    pairs: HashMap<String, (u32, u64)>, //TEXT
}

impl Sums {
    fn add(&mut self, ride: &Ride) {
        let key = (ride.from.min(ride.to), ride.from.max(ride.to)); //-TEXT
        let key = format!("{}-{}", ride.from.min(ride.to), ride.from.max(ride.to)); //TEXT
        self.lines[usize::from(ride.line)] += u64::from(ride.fare);
        self.fares.push(ride.fare);
        let sum = self.pairs.entry(key).or_default();
        sum.0 += 1;
        sum.1 += u64::from(ride.fare);
    }

    // Half of the rides cost less.
    fn median(&mut self) -> u32 {
        self.fares.sort_unstable();
        self.fares[self.fares.len() / 2]
    }

    fn busiest(&self) -> (u32, u64) {
        self.pairs.values().copied().max().unwrap_or_default()
    }
}

fn main() -> io::Result<()> {
    let rides = 120_000;
    let path = std::env::temp_dir().join(format!("trams-{}", std::process::id()));
    written(&path, rides)?;
    let (mut sums, mut median) = (Sums::default(), 0);
    for _ in 0..30 {
        let mut log = Log { file: BufReader::new(File::open(&path)?), left: rides };
        while let Some(ride) = log.next()? {
            sums.add(&ride);
        }
        median = sums.median();
        sums.fares.clear();
    }
    std::fs::remove_file(&path)?;
    let (count, fares) = sums.busiest();
    println!("{} pairs, the busiest with {count} rides for {fares}; {:?}, median {median}", sums.pairs.len(), sums.lines.iter().max());
    Ok(())
}
