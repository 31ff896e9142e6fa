// Hikes: which words of two diaries are alike, and what a day in the hills costs.
struct Source(u32);

impl Source {
    fn drawn(&mut self, below: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1664525).wrapping_add(1013904223);
        (self.0 >> 8) % below
    }
}

struct Map {
    wide: usize,
    high: usize,
    cost: Vec<u32>,
    known: Vec<Option<u32>>,
}

impl Map {
    // The cheapest way from here to the lower right corner, going right, down or slantwise.
    fn cheapest(&mut self, x: usize, y: usize) -> u32 {
        let here = y * self.wide + x;
        if let Some(known) = self.known[here] { //-FORGETS
            return known; //-FORGETS
        } //-FORGETS
        let mut best = u32::MAX;
        if x + 1 < self.wide {
            best = best.min(self.cheapest(x + 1, y));
        }
        if y + 1 < self.high {
            best = best.min(self.cheapest(x, y + 1));
        }
        if x + 1 < self.wide && y + 1 < self.high {
            best = best.min(self.cheapest(x + 1, y + 1) + 1);
        }
        let found = if best == u32::MAX { self.cost[here] } else { best + self.cost[here] };
        self.known[here] = Some(found);
        found
    }
}

// How much two lines of a diary have in common: the longest common part, letters in order.
fn alike(a: &[u8], b: &[u8], row: &mut Vec<u16>) -> u16 {
    row.clear();
    row.resize(b.len() + 1, 0);
    for &left in a {
        let mut corner = 0;
        for (i, &right) in b.iter().enumerate() {
            let above = row[i + 1];
            row[i + 1] = if left == right { corner + 1 } else { above.max(row[i]) };
            corner = above;
        }
    }
    row[b.len()]
}

fn main() {
    let mut source = Source(31);
    let lines: Vec<Vec<u8>> = (0..60).map(|_| (0..90).map(|_| b'a' + source.drawn(9) as u8).collect()).collect();
    let mut row = Vec::new();
    let mut sum = 0u64;
    for a in &lines {
        for b in &lines {
            sum += alike(a, b, &mut row) as u64;
        }
    }
    let (wide, high) = (9, 9);
    for _ in 0..12 {
        let cost: Vec<u32> = (0..wide * high).map(|_| 1 + source.drawn(9)).collect();
        let mut map = Map { wide, high, cost, known: vec![None; wide * high] };
        sum = sum * 31 + map.cheapest(0, 0) as u64;
    }
    println!("{sum}");
}
