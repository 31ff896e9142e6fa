// Counts ballots of a vote by instant run-off in four threads: each takes its part of the ballots.
use std::sync::atomic::{AtomicU64, Ordering}; //-MUTEX
use std::sync::Mutex; //MUTEX
use std::thread;

const CANDIDATES: usize = 7;
const BALLOTS: usize = 240_000;

type Ballot = [u8; 4];

struct Count {
    votes: [AtomicU64; CANDIDATES], //-MUTEX
    void: AtomicU64, //-MUTEX
    kept: Mutex<([u64; CANDIDATES], u64)>, //MUTEX
}

impl Count {
    fn new() -> Count {
        Count { votes: [const { AtomicU64::new(0) }; CANDIDATES], void: AtomicU64::new(0) } //-MUTEX
        Count { kept: Mutex::new(([0; CANDIDATES], 0)) } //MUTEX
    }

    fn vote(&self, candidate: usize) {
        self.votes[candidate].fetch_add(1, Ordering::Relaxed); //-MUTEX
        self.kept.lock().unwrap().0[candidate] += 1; //MUTEX
    }

    fn void(&self) {
        self.void.fetch_add(1, Ordering::Relaxed); //-MUTEX
        self.kept.lock().unwrap().1 += 1; //MUTEX
    }

    fn result(&self) -> ([u64; CANDIDATES], u64) {
        let mut votes = [0; CANDIDATES]; //-MUTEX
        for (sum, count) in votes.iter_mut().zip(&self.votes) { //-MUTEX
            *sum = count.load(Ordering::Relaxed); //-MUTEX
        } //-MUTEX
        (votes, self.void.load(Ordering::Relaxed)) //-MUTEX
        *self.kept.lock().unwrap() //MUTEX
    }
}

fn ballots() -> Vec<Ballot> {
    let mut seed = 14u32;
    let mut all = Vec::with_capacity(BALLOTS);
    for _ in 0..BALLOTS {
        let mut ballot = [0u8; 4];
        for place in &mut ballot {
            seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
            *place = ((seed >> 24) % (CANDIDATES as u32 + 2)) as u8;
        }
        all.push(ballot);
    }
    all
}

// The first one on the ballot who is still in; those from CANDIDATES on stand for nobody.
fn choice(ballot: &Ballot, inside: &[bool; CANDIDATES]) -> Option<usize> {
    ballot.iter().map(|&c| c as usize).find(|&c| c < CANDIDATES && inside[c])
}

// A checksum of the ballot, as it is written down for those who want to check.
fn receipt(ballot: &Ballot) -> u32 {
    let mut hash = 2166136261u32;
    for round in 0..6u8 {
        for &place in ballot {
            hash = (hash ^ (place + round) as u32).wrapping_mul(16777619);
        }
    }
    hash
}

fn counted(part: &[Ballot], inside: &[bool; CANDIDATES], count: &Count) -> u32 {
    let mut receipts = 0u32;
    for ballot in part {
        match choice(ballot, inside) {
            Some(candidate) => count.vote(candidate),
            None => count.void(),
        }
        receipts = receipts.wrapping_add(receipt(ballot));
    }
    receipts
}

fn main() {
    let all = ballots();
    let mut inside = [true; CANDIDATES];
    let mut receipts = 0u32;
    for round in 1..CANDIDATES {
        let count = Count::new();
        thread::scope(|scope| {
            let parts: Vec<_> = all
                .chunks(BALLOTS / 4)
                .map(|part| {
                    let (inside, count) = (&inside, &count);
                    scope.spawn(move || counted(part, inside, count))
                })
                .collect();
            for part in parts {
                receipts = receipts.wrapping_add(part.join().unwrap());
            }
        });
        let (votes, void) = count.result();
        println!("round {round}: {votes:?}, {void} void");
        let last = (0..CANDIDATES).filter(|&c| inside[c]).min_by_key(|&c| votes[c]).unwrap();
        inside[last] = false;
    }
    println!("{receipts:08x}");
}
