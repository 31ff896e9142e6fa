// Names the doors of a log of accesses and writes it out again.
use std::fs::File;
use std::io::{BufWriter, Write};

struct Door {
    id: u32,
    name: String,
}

struct Doors {
    doors: Vec<Door>,
}

impl Doors {
    fn new(count: u32) -> Doors {
        let doors = (0..count).map(|n| Door { id: n * 3 + 1, name: format!("door {n}") });
        Doors { doors: doors.collect() }
    }

    fn name(&self, id: u32) -> &str {
        let found = self.doors.binary_search_by_key(&id, |door| door.id).ok(); //-LINEAR
        let found = self.doors.iter().position(|door| door.id == id); //LINEAR
        found.map_or("unknown", |at| &self.doors[at].name)
    }
}

fn log(count: u32, doors: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut state = 1u32;
    (0..count).map(move |minute| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (minute, (state >> 8) % doors * 3 + 1)
    })
}

fn main() -> std::io::Result<()> {
    let doors = Doors::new(700);
    let mut out = BufWriter::new(File::create("/dev/null")?); //-BARE
    let mut out = File::create("/dev/null")?; //BARE
    let mut letters = 0;
    for (minute, id) in log(200_000, 720) {
        let name = doors.name(id);
        letters += name.len();
        out.write_all(format!("{minute} {name}\n").as_bytes())?;
    }
    out.flush()?;
    println!("{letters}");
    Ok(())
}
