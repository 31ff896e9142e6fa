// A post office: letters are read, letters are sorted by codes, receipts are written, parcels are queued.
use std::collections::BTreeMap; //TREE
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::panic;

const LETTERS: u32 = 20; //-READ
const LETTERS: u32 = 1000; //READ
const CODES: u32 = 10; //-SORT
const CODES: u32 = 7_000_000; //SORT
const RECEIPTS: u32 = 500; //-RECEIPT
const RECEIPTS: u32 = 250_000; //RECEIPT
const PARCELS: u32 = 1000; //-PARCEL
const PARCELS: u32 = 800_000; //PARCEL
const FORMS: u32 = 1000; //-FORM
const FORMS: u32 = 300_000; //FORM

struct Random(u32);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1664525).wrapping_add(1013904223);
        (self.0 >> 8) % limit
    }
}

fn words(text: &str) -> usize {
    let mut words = 0;
    let mut within = false;
    for letter in text.chars() { //CHARS
        let part = letter.is_alphanumeric(); //CHARS
    for letter in text.bytes() { //-CHARS
        let part = letter.is_ascii_alphanumeric() || letter >= 128; //-CHARS
        if part && !within {
            words += 1;
        }
        within = part;
    }
    words
}

fn sorted(random: &mut Random) -> u64 {
    let mut letters: BTreeMap<u32, u64> = (0..5000).map(|code| (code, 0)).collect(); //TREE
    let mut letters: Vec<u64> = vec![0; 5000]; //-TREE
    for _ in 0..CODES {
        let code = random.below(70) * random.below(70) + random.below(99);
        *letters.get_mut(&code).unwrap() += 1; //TREE
        letters[code as usize] += 1; //-TREE
    }
    letters.range(1..).map(|(code, sum)| u64::from(*code) * sum).sum() //TREE
    (1..).zip(&letters[1..]).map(|(code, sum)| code * sum).sum() //-TREE
}

fn receipts(path: &str, random: &mut Random) -> u64 {
    let file = File::create(path).unwrap();
    let mut out = BufWriter::new(&file); //-EACH
    let mut sum = 0;
    for number in 0..RECEIPTS {
        let cents = random.below(5000);
        let mut out = BufWriter::new(&file); //EACH
        writeln!(out, "receipt {number}: {}.{:02}", cents / 100, cents % 100).unwrap();
        sum += u64::from(cents);
    }
    sum
}

struct Parcel {
    number: u32,
    content: [u32; 250],
}

type Held = Parcel; //WHOLE
type Held = Box<Parcel>; //-WHOLE

fn packed(number: u32) -> Held {
    let mut parcel = Parcel { number, content: [0; 250] };
    parcel.content[number as usize % 250] = number;
    parcel //WHOLE
    Box::new(parcel) //-WHOLE
}

#[inline(never)]
fn stamped(mut parcel: Held) -> Option<Held> {
    parcel.content[0] += 1;
    if parcel.number % 64 == 63 { None } else { Some(parcel) }
}

#[inline(never)]
fn checked(parcel: Option<Held>) -> Result<Held, u32> {
    match parcel {
        Some(parcel) if parcel.content[1] < 1 << 30 => Ok(parcel),
        _ => Err(1),
    }
}

fn parcels() -> u64 {
    let mut queue: VecDeque<Held> = VecDeque::new();
    let mut sum = 0;
    for number in 0..PARCELS {
        match checked(stamped(packed(number))) {
            Ok(parcel) => queue.push_back(parcel),
            Err(lost) => sum += u64::from(lost),
        }
        if queue.len() > 40 {
            let parcel = queue.pop_front().unwrap();
            sum += u64::from(parcel.content[parcel.number as usize % 250]);
        }
    }
    sum
}

fn zone(code: &str) -> u32 { //UNWOUND
    code.parse::<u32>().expect("a code") % 9 //UNWOUND
} //UNWOUND
fn zone(code: &str) -> Option<u32> { //-UNWOUND
    Some(code.parse::<u32>().ok()? % 9) //-UNWOUND
} //-UNWOUND

fn forms(random: &mut Random) -> u32 {
    let codes: Vec<String> = (0..1000)
        .map(|_| {
            let number = random.below(90000);
            if number % 20 == 0 { format!("{number}x") } else { number.to_string() }
        })
        .collect();
    panic::set_hook(Box::new(|_| {}));
    let mut sum = 0;
    for form in 0..FORMS {
        let code = &codes[form as usize % 1000];
        sum += panic::catch_unwind(|| zone(code)).unwrap_or(9); //UNWOUND
        sum += zone(code).unwrap_or(9); //-UNWOUND
    }
    sum
}

fn main() {
    let path = std::env::args().nth(1).unwrap_or("/dev/null".to_string());
    let mut random = Random(3);
    let text: String = (0..20_000)
        .map(|_| ["parcel ", "für ", "house, ", "number ", "12 ", "señora; "][random.below(6) as usize])
        .collect();
    let counted: usize = (0..LETTERS).map(|_| words(&text)).sum();
    println!("{counted} {} {} {} {}", sorted(&mut random), receipts(&path, &mut random), parcels(), forms(&mut random));
}
