// Filters the events of a house by rules that people put together, and counts what is left.
#[derive(Clone, Copy)]
struct Event {
    sensor: u16,
    room: u8,
    level: i16,
    minute: u32,
}

fn events(count: usize) -> Vec<Event> {
    let mut seed = 19u32;
    (0..count)
        .map(|n| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Event { sensor: (seed >> 16) as u16 % 300, room: (seed >> 9) as u8 % 12, level: (seed >> 20) as i16 - 2048, minute: n as u32 / 7 }
        })
        .collect()
}

struct House {
    night: (u32, u32),
    rooms: u16,
    correction: [i16; 16],
}

impl House {
    fn heard<'a>(&'a self, all: &'a [Event]) -> impl Iterator<Item = Event> + 'a {
        all.iter().copied().filter(|event| event.sensor % 50 != 7)
    }

    fn corrected<'a>(&'a self, all: &'a [Event]) -> Box<dyn Iterator<Item = Event> + 'a> { //BOXED
    fn corrected<'a>(&'a self, all: &'a [Event]) -> impl Iterator<Item = Event> + 'a { //-BOXED
        let mended = self.heard(all).map(move |event| Event { level: event.level.saturating_add(self.correction[usize::from(event.room & 15)]), ..event });
        Box::new(mended) //BOXED
        mended //-BOXED
    }

    fn at_night<'a>(&'a self, all: &'a [Event]) -> Box<dyn Iterator<Item = Event> + 'a> { //BOXED
    fn at_night<'a>(&'a self, all: &'a [Event]) -> impl Iterator<Item = Event> + 'a { //-BOXED
        let chosen = self.corrected(all).filter(move |event| {
            let minute = event.minute % 1440;
            (minute >= self.night.0 || minute < self.night.1) && self.rooms >> event.room & 1 == 1
        });
        Box::new(chosen) //BOXED
        chosen //-BOXED
    }

    fn alarms(&self, all: &[Event], limit: i16) -> (usize, i64) {
        self.at_night(all).filter(|event| event.level > limit).fold((0, 0), |(count, sum), event| (count + 1, sum + i64::from(event.level)))
    }
}

fn main() {
    let all = events(60_000);
    let mut house = House { night: (1320, 360), rooms: 0b1011_0110_1101, correction: [3; 16] };
    let (mut count, mut sum) = (0, 0);
    for day in 0..900 {
        house.correction[day % 12] += 1;
        let (more, levels) = house.alarms(&all, 1500 + (day % 90) as i16);
        count += more;
        sum += levels;
    }
    println!("{count} alarms, levels {sum}");
}
