// The register of a book: its words sorted without regard to capitals, with its page.
struct Entry {
    word: String,
    page: u32,
}

fn entries(count: usize) -> Vec<Entry> {
    const SYLLABLES: [&str; 8] = ["Ba", "ro", "Ki", "ne", "su", "Ta", "li", "mo"];
    let mut state = 12_345u32;
    let entry = |number: usize| {
        let mut word = String::new();
        for _ in 0..6 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            word.push_str(SYLLABLES[(state >> 20) as usize % 8]);
        }
        Entry { word, page: number as u32 / 300 + 1 }
    };
    (0..count).map(entry).collect()
}

fn sort(entries: &mut [Entry]) {
    entries.sort_by_cached_key(|entry| entry.word.to_lowercase()); //-EACH
    entries.sort_by_key(|entry| entry.word.to_lowercase()); //EACH
}

fn main() {
    let mut entries = entries(40_000);
    sort(&mut entries);
    let mut sum = 0u64;
    for (at, entry) in entries.iter().enumerate() {
        sum = sum * 31 % 1_000_007 + at as u64 * u64::from(entry.page) + entry.word.len() as u64;
    }
    println!("{} {} {sum}", entries.len(), entries[100].word);
}
