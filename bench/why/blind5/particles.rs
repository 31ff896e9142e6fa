// Particles drift through a field and are kept in the order in which they are to be drawn.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn unit(&mut self) -> f32 {
        self.below(1 << 20) as f32 / (1 << 20) as f32
    }
}

#[derive(Clone)]
struct Particle {
    x: f32,
    y: f32,
    depth: f32,
    vx: f32,
    vy: f32,
    colour: u32,
    age: u32,
    trail: [f32; 9],
}

type Slot = Particle; //-BOXED
type Slot = Box<Particle>; //BOXED

fn born(n: usize) -> Vec<Slot> {
    let mut draw = Draw(5);
    let mut all: Vec<Slot> = Vec::with_capacity(n);
    for i in 0..n {
        let one = Particle {
            x: draw.unit(),
            y: draw.unit(),
            depth: draw.unit(),
            vx: draw.unit() - 0.5,
            vy: draw.unit() - 0.5,
            colour: i as u32 * 2654435761u32.wrapping_rem(97),
            age: 0,
            trail: [0.0; 9],
        };
        all.push(one.into());
    }
    all.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    all
}

fn drift(all: &mut [Slot], time: f32) {
    for p in all.iter_mut() {
        let (dx, dy) = (p.x - 0.5, p.y - 0.5);
        let pull = time / (0.3 + (dx * dx + dy * dy).sqrt());
        p.vx -= dx * pull;
        p.vy -= dy * pull;
        p.x += p.vx * time;
        p.y += p.vy * time;
        if p.x < 0.0 || p.x > 1.0 {
            p.vx = -p.vx;
        }
        if p.y < 0.0 || p.y > 1.0 {
            p.vy = -p.vy;
        }
        p.trail[p.age as usize % 9] = p.x;
        p.age += 1;
    }
}

fn drawn(all: &[Slot]) -> u64 {
    let mut picture = 0u64;
    for p in all {
        picture = picture.wrapping_mul(31).wrapping_add((p.x * 255.0) as u64 ^ p.colour as u64);
    }
    picture
}

fn main() {
    let mut all = born(40_000);
    let mut sum = 0u64;
    for _ in 0..420 {
        drift(&mut all, 0.01);
        sum ^= drawn(&all);
    }
    println!("{sum:016x} {:.3}", all[77].trail[4]);
}
