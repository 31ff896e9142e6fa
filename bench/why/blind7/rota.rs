// A rota of nurses, made better by small changes: simulated annealing with a limit of time.
use std::time::{Duration, Instant};

const NURSES: usize = 40;
const DAYS: usize = 56;
const STEPS: u32 = 3_500_000;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() as usize * limit) >> 31
    }

    fn unit(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 31) as f64
    }
}

// 0 is a free day, 1 to 3 are shifts.
#[derive(Clone)]
struct Rota {
    shifts: Vec<[u8; DAYS]>,
    covered: Vec<[i32; 4]>,
}

impl Rota {
    fn drawn(random: &mut Random) -> Rota {
        let mut rota = Rota { shifts: vec![[0; DAYS]; NURSES], covered: vec![[0; 4]; DAYS] };
        for nurse in 0..NURSES {
            for day in 0..DAYS {
                let shift = random.below(4);
                rota.shifts[nurse][day] = shift as u8;
                rota.covered[day][shift] += 1;
            }
        }
        rota
    }

    fn missing(&self, day: usize) -> i32 {
        const NEEDED: [i32; 4] = [0, 12, 10, 6];
        (1..4).map(|shift| (NEEDED[shift] - self.covered[day][shift]).abs() * 10).sum()
    }

    // An early shift after a night, and more than six days of work, are not liked.
    fn disliked(&self, nurse: usize, day: usize) -> i32 {
        let week = &self.shifts[nurse];
        let mut cost = 0;
        for d in day.max(1)..(day + 2).min(DAYS) {
            if week[d - 1] == 3 && week[d] == 1 {
                cost += 7;
            }
        }
        let from = day.saturating_sub(6);
        let worked = week[from..(day + 7).min(DAYS)].iter().filter(|&&s| s > 0).count() as i32;
        cost + (worked - 9).max(0) * 3
    }

    fn changed(&mut self, nurse: usize, day: usize, shift: u8) -> u8 {
        let before = std::mem::replace(&mut self.shifts[nurse][day], shift);
        self.covered[day][before as usize] -= 1;
        self.covered[day][shift as usize] += 1;
        before
    }

    fn cost(&self) -> i32 {
        let cover: i32 = (0..DAYS).map(|day| self.missing(day)).sum();
        let people: i32 = (0..NURSES).flat_map(|n| (0..DAYS).map(move |d| (n, d))).map(|(n, d)| self.disliked(n, d)).sum();
        cover + people
    }
}

struct Search {
    began: Instant,
    limit: Duration,
    random: Random,
    warmth: f64,
}

impl Search {
    fn over(&self, step: u32) -> bool {
        let _ = step; //CLOCK
        step % 4096 == 0 && //-CLOCK
            self.began.elapsed() > self.limit
    }

    fn accepted(&mut self, worse: i32) -> bool { //-OTHER
        worse <= 0 || self.random.unit() < (-(worse as f64) / self.warmth).exp() //-OTHER
    } //-OTHER

    fn better(&mut self, rota: &mut Rota) -> u32 {
        let mut kept = 0;
        for step in 0..STEPS {
            if self.over(step) {
                break;
            }
            let (nurse, day) = (self.random.below(NURSES), self.random.below(DAYS)); //-OTHER
            let shift = self.random.below(4) as u8; //-OTHER
            let before = rota.missing(day) + rota.disliked(nurse, day); //-OTHER
            let old = rota.changed(nurse, day, shift); //-OTHER
            let after = rota.missing(day) + rota.disliked(nurse, day); //-OTHER
            if self.accepted(after - before) { //-OTHER
                kept += 1; //-OTHER
            } else { //-OTHER
                rota.changed(nurse, day, old); //-OTHER
            } //-OTHER
            let who = self.random.below(NURSES); //OTHER
            let when = self.random.below(DAYS); //OTHER
            let new = self.random.below(4) as u8; //OTHER
            let cost = rota.missing(when) + rota.disliked(who, when); //OTHER
            let old = rota.changed(who, when, new); //OTHER
            let worse = rota.missing(when) + rota.disliked(who, when) - cost; //OTHER
            if !self.taken(worse) { //OTHER
                rota.changed(who, when, old); //OTHER
            } else { //OTHER
                kept += 1; //OTHER
            } //OTHER
            self.warmth *= 0.9999985;
        }
        kept
    }

    // Changes for the worse are taken now and then, more often as long as it is warm. //OTHER
    fn taken(&mut self, cost: i32) -> bool { //OTHER
        cost <= 0 || self.random.unit() < (-(cost as f64) / self.warmth).exp() //OTHER
    } //OTHER
}

fn main() {
    let mut random = Random(11);
    let mut rota = Rota::drawn(&mut random);
    let first = rota.cost();
    let mut search = Search { began: Instant::now(), limit: Duration::from_secs(600), random, warmth: 20.0 };
    let kept = search.better(&mut rota);
    println!("{first} to {}, {kept} changes", rota.cost());
}
