// An address book: names in many spellings are put in order, grouped and counted.
use std::collections::HashMap;

#[derive(Clone)]
struct Person {
    name: String,
    town: String,
    born: u32,
}

struct Source(u32);

impl Source {
    fn drawn(&mut self, below: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1664525).wrapping_add(1013904223);
        (self.0 >> 8) % below
    }
}

const PARTS: [&str; 16] = [
    "An", "be", "Cor", "da", "El", "fi", "Gus", "ha", "Il", "jo", "Kas", "li", "Mar", "no", "Ol", "pe",
];

fn people(count: usize) -> Vec<Person> {
    let mut source = Source(21);
    (0..count)
        .map(|_| {
            let mut name = String::new();
            for _ in 0..3 + source.drawn(3) {
                name.push_str(PARTS[source.drawn(16) as usize]);
            }
            if source.drawn(5) == 0 {
                name = name.to_uppercase();
            }
            Person { name, town: format!("Town {}", source.drawn(300)), born: 1930 + source.drawn(80) }
        })
        .collect()
}

fn ordered(people: &mut [Person]) {
    people.sort_by_key(|person| (person.name.to_lowercase(), person.born)); //EACH
    people.sort_by_cached_key(|person| (person.name.to_lowercase(), person.born)); //-EACH
}

fn towns(people: &[Person]) -> Vec<(String, u32)> {
    let mut found: HashMap<&str, u32> = HashMap::new();
    for person in people {
        *found.entry(person.town.as_str()).or_insert(0) += person.born;
    }
    let mut all: Vec<(String, u32)> = found.into_iter().map(|(town, born)| (town.to_string(), born)).collect();
    all.sort();
    all
}

// The same towns, asked for in another way.
fn towns_of(people: &[Person]) -> Vec<(String, u32)> { //OTHER
    let mut sums: HashMap<&str, u32> = HashMap::new(); //OTHER
    people.iter().for_each(|p| *sums.entry(p.town.as_str()).or_insert(0) += p.born); //OTHER
    let mut list: Vec<(String, u32)> = sums.into_iter().map(|(name, sum)| (name.to_string(), sum)).collect(); //OTHER
    list.sort(); //OTHER
    list //OTHER
} //OTHER

fn main() {
    let all = people(6000);
    let mut digest: u64 = 0;
    for round in 0..20 {
        let mut mine = all.clone();
        mine.rotate_left(round * 37);
        ordered(&mut mine);
        for (place, person) in mine.iter().enumerate() {
            digest = digest.wrapping_mul(31).wrapping_add(person.born as u64 * place as u64);
        }
        let sums = towns(&mine); //-OTHER
        let sums = towns_of(&mine); //OTHER
        digest ^= sums[round].1 as u64;
        if round == 0 { println!("{} {}", mine[5].name, sums[2].0); }
    }
    println!("{digest}");
}
