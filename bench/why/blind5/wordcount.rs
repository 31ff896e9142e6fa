// Counts words and the authors that use them.
use std::collections::HashMap;

struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

#[derive(Default)]
struct Usage {
    count: u32,
    authors: u64,
}

fn corpus(lines: usize) -> String {
    let mut draw = Draw(8);
    let stems = ["harbour", "lantern", "orchard", "whistle", "meridian", "cobbler", "thistle"];
    let ends = ["", "s", "ed", "ing", "er", "like", "ness", "able"];
    let mut text = String::new();
    for _ in 0..lines {
        text.push_str(&format!("author{}:", draw.below(50)));
        for _ in 0..12 {
            let r = draw.below(1 << 30) as usize;
            text.push(' ');
            text.push_str(stems[r % 7]);
            text.push_str(ends[r / 7 % 8]);
            text.push_str(ends[r / 56 % 8]);
        }
        text.push('\n');
    }
    text
}

fn count(text: &str) -> HashMap<String, Usage> {
    let mut words: HashMap<String, Usage> = HashMap::new();
    for line in text.lines() {
        let Some((author, rest)) = line.split_once(':') else {
            continue;
        };
        let who: u32 = author["author".len()..].parse().unwrap_or(0);
        for word in rest.split_ascii_whitespace() {
            let usage = words.entry(word.to_string()).or_default(); //OWNED
            let usage = match words.get_mut(word) { //-OWNED
                Some(usage) => usage, //-OWNED
                None => words.entry(word.to_string()).or_default(), //-OWNED
            }; //-OWNED
            usage.count += 1;
            usage.authors |= 1 << who;
        }
    }
    words
}

fn main() {
    let text = corpus(20000);
    let mut best = Vec::new();
    for _ in 0..30 {
        let words = count(&text);
        let mut all: Vec<_> = words.into_iter().map(|(w, u)| (u.count, u.authors.count_ones(), w)).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        best = all;
    }
    println!("{} words, first {} {}", best.len(), best[0].0, best[0].2);
}
