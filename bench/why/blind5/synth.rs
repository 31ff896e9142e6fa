// A synthesiser of a few voices: each has a phase that goes round, an envelope and a filter.
struct Voice {
    phase: f64,
    step: f64,
    detune: f64,
    level: f64,
    low: f64,
}

impl Voice {
    fn new(note: i32) -> Voice {
        let pitch = 440.0 * f64::powf(2.0, f64::from(note - 69) / 12.0);
        Voice { phase: 0.0, step: pitch / 44100.0, detune: pitch * 0.003 / 44100.0, level: 1.0, low: 0.0 }
    }

    /// The next place within the wave, from 0 to 1.
    #[inline(never)]
    fn advance(&mut self) -> f64 {
        self.phase += self.step + self.detune;
        self.phase % 1.0 //REMAINDER
        self.phase - (self.phase as i64) as f64 //-REMAINDER
    }

    fn sample(&mut self, cut: f64) -> f64 {
        let place = self.advance();
        let saw = 2.0 * place - 1.0;
        let triangle = 1.0 - 4.0 * (place - 0.5).abs();
        let wave = 0.6 * saw + 0.4 * triangle - 0.1 * saw * saw * saw;
        self.low += cut * (wave * self.level - self.low);
        self.level *= 0.999_99;
        self.low
    }
}

fn chord(notes: &[i32]) -> Vec<Voice> {
    notes.iter().map(|&note| Voice::new(note)).collect()
}

fn render(voices: &mut [Voice], out: &mut [f32], cut: f64) {
    for slot in out.iter_mut() {
        let mut sum = 0.0;
        for voice in voices.iter_mut() {
            sum += voice.sample(cut);
        }
        *slot = (sum * 0.2) as f32;
    }
}

fn loudness(samples: &[f32]) -> f64 {
    let sum: f64 = samples.iter().map(|&s| f64::from(s) * f64::from(s)).sum();
    (sum / samples.len() as f64).sqrt()
}

fn main() {
    let song = [[57, 60, 64, 69], [53, 57, 60, 65], [48, 52, 55, 60], [55, 59, 62, 67]];
    let mut buffer = vec![0f32; 44100];
    let mut total = 0.0;
    for bar in 0..160 {
        let mut voices = chord(&song[bar % 4]);
        render(&mut voices, &mut buffer, 0.1 + bar as f64 / 300.0);
        total += loudness(&buffer);
    }
    println!("loudness {:.4}", total / 160.0);
}
