// Heat spreads through a plate with warm and cold spots; tells when the plate is even.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
}

struct Plate {
    width: usize,
    height: usize,
    heat: Vec<f32>,
    next: Vec<f32>,
}

impl Plate {
    fn new(width: usize, height: usize) -> Plate {
        Plate { width, height, heat: vec![20.0; width * height], next: vec![20.0; width * height] }
    }

    fn spots(&mut self, draw: &mut Draw, count: usize) { //-OTHER
        for _ in 0..count { //-OTHER
            let (x, y) = (draw.below(self.width), draw.below(self.height)); //-OTHER
            self.heat[y * self.width + x] = draw.below(100) as f32; //-OTHER
        } //-OTHER
    } //-OTHER

    #[inline(never)]
    fn step(&mut self, rate: f32) {
        let w = self.width;
        for y in 1..self.height - 1 {
            for x in 1..w - 1 {
                let i = y * w + x;
                let around = self.heat[i - w] + self.heat[i + w] + self.heat[i - 1] + self.heat[i + 1];
                self.next[i] = self.heat[i] + rate * (around - 4.0 * self.heat[i]);
            }
        }
        std::mem::swap(&mut self.heat, &mut self.next);
    }

    // Puts some warm and cold spots anywhere on the plate. //OTHER
    fn warmed(&mut self, random: &mut Draw, number: usize) { //OTHER
        for _spot in 0..number { //OTHER
            let (column, row) = (random.below(self.width), random.below(self.height)); //OTHER
            let place = row * self.width + column; //OTHER
            self.heat[place] = random.below(100) as f32; //OTHER
        } //OTHER
    } //OTHER

    fn range(&self) -> (f32, f32) {
        let (mut low, mut high) = (f32::MAX, f32::MIN);
        for &value in &self.heat {
            if value < low {
                low = value;
            }
            if value > high {
                high = value;
            }
        }
        (low, high)
    }
}

fn main() {
    let mut draw = Draw(11);
    let mut plate = Plate::new(300, 200);
    let mut even = 0;
    for round in 0..180 {
        plate.spots(&mut draw, 20); //-OTHER
        plate.warmed(&mut draw, 20); //OTHER
        for _ in 0..15 {
            plate.step(0.2);
        }
        for _ in 0..4 {
            let (low, high) = plate.range();
            even += (high - low < 10.0 + round as f32 / 10.0) as u32;
        }
    }
    println!("{even} even, middle {:.4}", plate.heat[100 * 300 + 150]);
}
