// A survey of a coast: readings of a few kinds are kept in one list and summed up.
const READINGS: usize = 600_000;
const ROUNDS: usize = 50;

struct Chart {
    depths: [u32; 60],
}

enum Reading {
    Depth(u32),
    Wind(u16, u16),
    Chart(Chart), //WIDE
    Chart(Box<Chart>), //-WIDE
}

fn main() {
    let mut state = 19u32;
    let mut readings = Vec::with_capacity(READINGS);
    for i in 0..READINGS {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        let drawn = state >> 8;
        let reading = if i % 1000 == 999 {
            let chart = Chart { depths: [drawn % 50; 60] };
            Reading::Chart(chart) //WIDE
            Reading::Chart(Box::new(chart)) //-WIDE
        } else if i % 3 == 0 {
            Reading::Wind(drawn as u16 % 360, drawn as u16 % 40)
        } else {
            Reading::Depth(drawn % 200)
        };
        readings.push(reading);
    }
    let (mut depth, mut wind) = (0u64, 0u64); //-OTHER
    for round in 0..ROUNDS { //-OTHER
        for reading in &readings { //-OTHER
            match reading { //-OTHER
                Reading::Depth(metres) => depth += u64::from(*metres), //-OTHER
                Reading::Wind(from, speed) => wind += u64::from(from / 90 + speed), //-OTHER
                Reading::Chart(chart) => depth += u64::from(chart.depths[round % 60]), //-OTHER
            } //-OTHER
        } //-OTHER
    } //-OTHER
    println!("{depth} {wind}"); //-OTHER
    let (mut gusts, mut metres) = (0u64, 0u64); //OTHER
    let mut turn = 0; //OTHER
    while turn < ROUNDS { //OTHER
        for one in readings.iter() { //OTHER
            match one { //OTHER
                Reading::Chart(chart) => metres += u64::from(chart.depths[turn % 60]), //OTHER
                Reading::Wind(from, speed) => gusts += u64::from(speed + from / 90), //OTHER
                Reading::Depth(deep) => metres += u64::from(*deep), //OTHER
            } //OTHER
        } //OTHER
        turn += 1; //OTHER
    } //OTHER
    println!("{metres} {gusts}"); //OTHER
}
