// A tuner: finds the notes of a recording by the strength of their frequencies in each window.
use std::f64::consts::TAU;

const RATE: f64 = 44100.0;
const WINDOW: usize = 1024;
const NOTES: usize = 36;

struct Random(u32);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1664525).wrapping_add(1013904223);
        (self.0 >> 8) as f64 / 16777216.0 - 0.5
    }
}

fn frequency(note: usize) -> f64 {
    220.0 * 2f64.powf(note as f64 / 12.0)
}

fn recorded(windows: usize) -> Vec<f64> {
    let mut random = Random(5);
    let mut sound = vec![0.0; windows * WINDOW];
    for window in 0..windows {
        let notes = [window * 7 % NOTES, window * 11 % NOTES];
        for i in 0..WINDOW {
            let at = window * WINDOW + i;
            let time = at as f64 / RATE;
            sound[at] = random.unit() * 0.2 + notes.iter().map(|&n| (TAU * frequency(n) * time).sin()).sum::<f64>();
        }
    }
    sound
}

struct Tuner {
    waves: Vec<Vec<(f64, f64)>>, //-FRESH
    window: Vec<f64>,
}

impl Tuner {
    fn new() -> Tuner {
        Tuner {
            waves: (0..NOTES).map(|n| (0..WINDOW).map(|i| wave(n, i)).collect()).collect(), //-FRESH
            window: (0..WINDOW).map(|i| 0.5 - 0.5 * (TAU * i as f64 / WINDOW as f64).cos()).collect(),
        }
    }

    fn strength(&self, sound: &[f64], note: usize) -> f64 {
        let (mut real, mut imaginary) = (0.0, 0.0);
        let waves = &self.waves[note]; //-FRESH
        for i in 0..WINDOW {
            let value = sound[i] * self.window[i];
            let (sine, cosine) = waves[i]; //-FRESH
            let (sine, cosine) = wave(note, i); //FRESH
            real += value * cosine;
            imaginary += value * sine;
        }
        real * real + imaginary * imaginary
    }

    fn loudest(&self, sound: &[f64]) -> (usize, usize) {
        let strengths: Vec<f64> = (0..NOTES).map(|note| self.strength(sound, note)).collect();
        let mut order: Vec<usize> = (0..NOTES).collect();
        order.sort_by(|&a, &b| strengths[b].total_cmp(&strengths[a]));
        (order[0], order[1])
    }
}

fn wave(note: usize, at: usize) -> (f64, f64) {
    (TAU * frequency_of(note) * at as f64 / RATE).sin_cos()
}

// Frequencies of an even scale from the low A on.
fn frequency_of(note: usize) -> f64 {
    const STEPS: [f64; 12] = [
        1.0, 1.0594630943592953, 1.122462048309373, 1.189207115002721, 1.2599210498948732, 1.3348398541700344,
        1.4142135623730951, 1.4983070768766815, 1.5874010519681994, 1.681792830507429, 1.7817974362806785, 1.8877486253633868,
    ];
    220.0 * STEPS[note % 12] * (1u32 << (note / 12)) as f64
}

fn main() {
    let windows = 500;
    let sound = recorded(windows);
    let tuner = Tuner::new();
    let mut digest = 0usize;
    for window in sound.chunks_exact(WINDOW) {
        let (first, second) = tuner.loudest(window);
        digest = digest * 31 % 1_000_007 + first * 40 + second;
    }
    println!("{windows} windows, {digest}");
}
