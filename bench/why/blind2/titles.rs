// A catalogue of books: orders titles without regard to case, counts words, and lends copies.
use std::collections::HashMap;
use std::sync::mpsc::sync_channel;
use std::thread;

fn draw(seed: &mut u32) -> u32 {
    *seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
    *seed >> 16
}

const PARTS: [&str; 12] = [
    "Garden", "of", "The", "Long", "winter", "Sea", "and", "Letters", "river", "A", "House", "North",
];

fn titles(count: usize) -> Vec<String> {
    let mut seed = 41;
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        let words: Vec<&str> = (0..5).map(|_| PARTS[(draw(&mut seed) % 12) as usize]).collect();
        all.push(words.join(" "));
    }
    all
}

#[inline(never)]
fn arranged(mut all: Vec<String>) -> Vec<String> {
    all.sort_by_key(|title| title.to_ascii_lowercase()); //EACHKEY
    all.sort_by_cached_key(|title| title.to_ascii_lowercase()); //-EACHKEY
    all
}

#[inline(never)]
fn folded(title: &str, out: &mut String) {
    out.clear();
    out.extend(title.chars().flat_map(char::to_lowercase)); //UNICODE
    out.push_str(title); //-UNICODE
    out.make_ascii_lowercase(); //-UNICODE
}

#[inline(never)]
fn vowels(all: &[String]) -> u64 {
    let mut sum = 0;
    let mut text = String::new();
    for title in all {
        folded(title, &mut text);
        let mut run = 0u64;
        for byte in text.bytes() {
            run = run * 3 % 1009 + u64::from(byte);
        }
        sum += run;
    }
    sum
}

fn lent() -> u64 {
    let (send, receive) = sync_channel::<u64>(0); //HANDED
    let (send, receive) = sync_channel::<u64>(1024); //-HANDED
    let desk = thread::spawn(move || {
        let mut shelves: HashMap<u64, u64> = HashMap::new();
        for copy in receive {
            let mut place = copy;
            for _ in 0..20 {
                place = place * 31 % 65521;
            }
            *shelves.entry(place % 512).or_insert(0) += 1;
        }
        shelves.values().map(|n| n * n).sum::<u64>()
    });
    for copy in 0..12_000 {
        send.send(copy * copy).unwrap();
    }
    drop(send);
    desk.join().unwrap()
}

fn main() {
    let all = titles(60_000);
    let mut sum = 0;
    for _ in 0..8 {
        sum += vowels(&all);
    }
    let first = arranged(all);
    println!("{} {} {}", sum, first[17], lent());
}
