// A vault: small keys are made, and messages raised to powers of a prime.
struct Source(u64);

impl Source {
    fn drawn(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 20
    }
}

const PRIME: u64 = 2147483629;

// Below 2^31, so that a product fits into 64 bits.
fn times(a: u64, b: u64) -> u64 {
    (a as u128 * b as u128 % std::hint::black_box(PRIME as u128)) as u64 //WIDE
    a * b % std::hint::black_box(PRIME) //-WIDE
}

fn raised(base: u64, mut power: u64) -> u64 {
    let mut square = base % PRIME;
    let mut result = 1;
    while power > 0 {
        if power & 1 == 1 {
            result = times(result, square);
        }
        square = times(square, square);
        power >>= 1;
    }
    result
}

fn main() {
    let mut source = Source(77);
    let mut digest = 0u64;
    for _ in 0..600000 {
        let message = source.drawn();
        let power = source.drawn() % 100000;
        digest = digest.rotate_left(7) ^ raised(message, power);
    }
    println!("{digest}");
}
