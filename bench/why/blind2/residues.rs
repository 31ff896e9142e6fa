// Which numbers below a bound pass a test of Fermat, by powers modulo the number.

#[cfg(not(other))]
mod sums {
    const BOUND: u64 = 60_000;
    const WITNESSES: [u64; 3] = [2, 3, 5];

    #[inline(never)]
    fn times(a: u64, b: u64, m: u64) -> u64 {
        ((u128::from(a) * u128::from(b)) % u128::from(m)) as u64 //WIDE
        a * b % m //-WIDE
    }

    fn power(base: u64, mut exponent: u64, m: u64) -> u64 {
        let mut square = base % m;
        let mut result = 1;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = times(result, square, m);
            }
            square = times(square, square, m);
            exponent >>= 1;
        }
        result
    }

    fn passes(n: u64) -> bool {
        WITNESSES.iter().all(|w| n == *w || power(*w, n - 1, n) == 1)
    }

    pub fn main() {
        let mut sum = 0;
        for _ in 0..8 {
            sum += (2..BOUND).filter(|n| passes(*n)).sum::<u64>();
        }
        println!("{}", sum);
    }
}

#[cfg(other)]
mod sums {
    pub fn main() {
        let total: u64 = (0..8).map(|_| (2..LIMIT).filter(|&n| likely(n)).sum::<u64>()).sum();
        println!("{total}");
    }

    fn likely(n: u64) -> bool {
        for w in BASES {
            if n != w && raised(w, n - 1, n) != 1 {
                return false;
            }
        }
        true
    }

    fn raised(base: u64, exponent: u64, modulus: u64) -> u64 {
        let (mut left, mut power, mut product) = (exponent, base % modulus, 1);
        while left != 0 {
            if left % 2 == 1 {
                product = multiplied(product, power, modulus);
            }
            power = multiplied(power, power, modulus);
            left /= 2;
        }
        product
    }

    #[inline(never)]
    fn multiplied(x: u64, y: u64, modulus: u64) -> u64 {
        x * y % modulus
    }

    const BASES: [u64; 3] = [2, 3, 5];
    const LIMIT: u64 = 60_000;
}

fn main() {
    sums::main();
}
