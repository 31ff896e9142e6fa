// Rain at many places: sums over spans of days, and how they spread.
use std::collections::LinkedList;

const ROUNDS: u32 = 120; //-LONG
const ROUNDS: u32 = 700; //LONG

struct Source(u64);

impl Source {
    fn drawn(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % below
    }
}

// The sum of what fell above a limit from one day to another, both of them included.
#[inline(never)]
fn fallen(days: &[u32], first: u32, last: u32, limit: u32) -> u64 {
    let mut sum = 0u64;
    let days = &days[..=last as usize];
    for day in first..=last { //CLOSED
        sum += days[day as usize].wrapping_mul(limit) as u64; //CLOSED
    } //CLOSED
    for rain in &days[first as usize..] { //-CLOSED
        sum += rain.wrapping_mul(limit) as u64; //-CLOSED
    } //-CLOSED
    sum
}

fn heaviest(places: &LinkedList<(u32, u32)>) -> u64 { //LINKED
fn heaviest(places: &Vec<(u32, u32)>) -> u64 { //-LINKED
    let mut best = 0u64;
    for (place, rain) in places.iter() {
        best = best.wrapping_mul(3) ^ (*rain as u64 * *place as u64);
    }
    best
}

fn main() {
    let mut source = Source(5);
    let days: Vec<u32> = (0..20000).map(|_| source.drawn(400) as u32).collect();
    let mut digest = 0u64;
    for _ in 0..9000 {
        let first = source.drawn(4000) as u32;
        digest ^= fallen(&days, first, first + 8000 + source.drawn(6000) as u32, 3);
    }
    let mut places = LinkedList::new(); //LINKED
    let mut places = Vec::new(); //-LINKED
    let mut others = Vec::new();
    for place in 0..60000u32 {
        places.push_back((place, source.drawn(900) as u32)); //LINKED
        places.push((place, source.drawn(900) as u32)); //-LINKED
        others.push(vec![place; 1 + source.drawn(12) as usize]);
    }
    for round in 0..ROUNDS {
        digest = digest.rotate_left(round) ^ heaviest(&places);
    }
    println!("{digest} {}", others[77].len());
}
