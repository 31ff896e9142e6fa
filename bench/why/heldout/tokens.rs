// Splits a text into tokens, counts them, and prints the frequent ones.
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write;

trait Rule {
    fn keep(&self, word: &str) -> bool;
}
struct Longer(usize);
impl Rule for Longer {
    #[inline(never)] //DYN
    fn keep(&self, word: &str) -> bool {
        word.len() > self.0 && !word.as_bytes()[0].is_ascii_digit()
    }
}

fn text(n: usize) -> String {
    let mut all = String::new();
    let mut x: u32 = 3;
    for _ in 0..n {
        x = x.wrapping_mul(1664525).wrapping_add(1013904223);
        let _ = write!(all, "word{} ", (x >> 16) % 3000);
    }
    all
}

fn tokens<'a>(text: &'a str, rules: &[Box<dyn Rule>]) -> Vec<&'a str> { //DYN
fn tokens<'a>(text: &'a str, rules: &[Longer]) -> Vec<&'a str> { //-DYN
    text.split_ascii_whitespace()
        .filter(|w| rules.iter().all(|r| r.keep(w)))
        .collect()
}

#[inline(never)]
fn count(words: &[String]) -> HashMap<String, u32> { //CLONE
fn count<'a>(words: &[&'a str]) -> HashMap<&'a str, u32> { //-CLONE
    let mut totals = HashMap::new();
    for w in words {
        *totals.entry(w.clone()).or_insert(0) += 1; //CLONE
        *totals.entry(*w).or_insert(0) += 1; //-CLONE
    }
    totals
}

#[inline(never)]
fn checksum(bytes: &[u8], table: &[u32]) -> u32 {
    let mut c = !0u32;
    for i in 0..bytes.len() {
        c = table[((c ^ bytes[i] as u32) & 0xff) as usize] ^ (c >> 8);
    }
    c
}

fn distinct(words: &[&str]) -> usize {
    let mut seen: Vec<&str> = Vec::new(); //LINEAR
    let mut seen = std::collections::HashSet::new(); //-LINEAR
    for w in words.iter().take(60000) {
        if !seen.contains(w) { seen.push(w); } //LINEAR
        seen.insert(*w); //-LINEAR
    }
    seen.len()
}

fn main() {
    let text = text(100_000);
    let mut rules: Vec<Box<dyn Rule>> = vec![]; //DYN
    for n in 1..5 { rules.push(Box::new(Longer(n % 4))); } //DYN
    let rules: Vec<Longer> = (1..5).map(|n| Longer(n % 4)).collect(); //-DYN
    let words = tokens(&text, &rules);
    let owned: Vec<String> = words.iter().map(|w| w.to_string()).collect(); //CLONE
    let totals = count(&owned); //CLONE
    let totals = count(&words); //-CLONE
    let table: Vec<u32> = (0..256u32).map(|i| i.wrapping_mul(0x9E3779B9)).collect();
    let mut sum = 0;
    for _ in 0..10 {
        sum ^= checksum(text.as_bytes(), &table);
    }
    let mut out = std::io::stdout(); //UNBUFFERED
    let mut out = std::io::BufWriter::new(std::io::stdout().lock()); //-UNBUFFERED
    for _ in 0..6 {
        for (w, n) in &totals {
            writeln!(out, "{} {}", w, n).unwrap();
        }
    }
    writeln!(out, "{} {}", sum, distinct(&words)).unwrap();
}
