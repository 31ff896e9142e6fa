// A garden: plants are planted from a list, counted, and written down.
use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::thread;

const PLANTS: u32 = 4000; //-MANY
const PLANTS: u32 = 40000; //MANY
const YEARS: u32 = 1; //-OLD
const YEARS: u32 = 220_000; //OLD
const ROWS: u32 = 0; //-ROWS
const ROWS: u32 = 120_000_000; //ROWS
const NOTES: u32 = 0; //-NOTES
const NOTES: u32 = 9000; //NOTES
const LABELS: u32 = 200; //-LABELS
const LABELS: u32 = 150_000; //LABELS

const TIMES: u32 = 1; //-WEIGHTS
const TIMES: u32 = 20; //WEIGHTS

struct Random(u32);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1664525).wrapping_add(1013904223);
        (self.0 >> 8) % limit
    }
}

fn kinds(random: &mut Random) -> usize {
    let mut seen: Vec<u32> = Vec::new(); //LISTED
    let mut seen: HashSet<u32> = HashSet::new(); //-LISTED
    for _ in 0..PLANTS {
        let kind = random.below(PLANTS);
        if !seen.contains(&kind) {
            seen.push(kind); //LISTED
            seen.insert(kind); //-LISTED
        }
    }
    seen.len()
}

fn harvest(random: &mut Random) -> u64 {
    let mut beds: HashMap<u32, u64> = HashMap::with_capacity(2000); //ROOMY
    let mut beds: HashMap<u32, u64> = HashMap::with_capacity(100); //-ROOMY
    for bed in 0..100 {
        beds.insert(bed, u64::from(random.below(100)));
    }
    let mut sum = 0u64;
    for year in 0..YEARS {
        for crop in beds.values_mut() {
            *crop += u64::from(year % 3);
        }
        sum += beds.values().sum::<u64>();
    }
    sum
}

fn dug(first: u32, rows: u32) -> u64 {
    let mut state = u64::from(first) + 1; //-OTHER
    for _ in 0..rows { //-OTHER
        state = state.wrapping_mul(6364136223846793005).rotate_left(17) ^ 99; //-OTHER
    } //-OTHER
    state //-OTHER
    let mut earth = 1 + u64::from(first); //OTHER
    let mut row = 0; //OTHER
    while row < rows { //OTHER
        let turned = 6364136223846793005u64.wrapping_mul(earth).rotate_left(17); //OTHER
        earth = 99 ^ turned; //OTHER
        row += 1; //OTHER
    } //OTHER
    earth //OTHER
}

fn field() -> u64 {
    let parts = [0u32, 1, 2, 3];
    let mut sum = 0u64;
    for pair in parts.chunks(2) {
        let workers = pair
            .iter()
            .map(|&part| thread::spawn(move || dug(part, ROWS / 4))); //LAZY
            .map(|&part| thread::spawn(move || dug(part, ROWS / 4))) //-LAZY
            .collect::<Vec<_>>(); //-LAZY
        for worker in workers {
            sum ^= worker.join().unwrap();
        }
    }
    sum
}

fn diary(random: &mut Random) -> String {
    let mut text = String::new();
    for day in 0..NOTES {
        let rain = random.below(30);
        text = format!("{text}day {day}: {rain} mm\n"); //FORMAT
        text.push_str(&format!("day {day}: {rain} mm\n")); //-FORMAT
    }
    text
}

fn weights(text: &[u8]) -> u64 {
    let mut reader = BufReader::new(text);
    let mut sum = 0u64;
    for line in reader.lines() { //LINES
        let line = line.unwrap(); //LINES
    let mut line = String::new(); //-LINES
    while reader.read_line(&mut line).unwrap() > 0 { //-LINES
        let mut fields = line.trim_end().split(';');
        let name = fields.next().unwrap();
        let weight: u64 = fields.next().unwrap().parse().unwrap();
        sum += weight + name.len() as u64;
        line.clear(); //-LINES
    }
    sum
}

fn labels(random: &mut Random) {
    let out = std::io::stdout();
    let mut out = BufWriter::new(out.lock()); //-DIRECT
    let mut out = out.lock(); //DIRECT
    for label in 0..LABELS {
        writeln!(out, "{} {}", label, random.below(1000)).unwrap();
    }
}

fn main() {
    let mut random = Random(7);
    let mut waiting: VecDeque<u64> = VecDeque::new();
    waiting.push_back(kinds(&mut random) as u64);
    waiting.push_back(harvest(&mut random));
    waiting.push_back(field());
    waiting.push_back(diary(&mut random).len() as u64);
    let text: String = (0..60_000).map(|i| format!("plant of the row {i};{}\n", i % 70)).collect();
    for _ in 0..TIMES {
        waiting.push_back(weights(text.as_bytes()));
    }
    labels(&mut random);
    println!("{waiting:?}");
}
