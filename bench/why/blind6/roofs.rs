// Finds out how much sun the roofs of a town get: shadows of other roofs over a day.
#[derive(Clone, Copy)]
struct Roof {
    x: f32,
    y: f32,
    height: f32,
    slope: f32,
}

struct Sun {
    dx: f32,
    dy: f32,
    rise: f32,
}

fn town(count: usize) -> Vec<Roof> {
    let mut seed = 41u32;
    let mut draw = move |most: f32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / 16_777_216.0 * most
    };
    (0..count).map(|_| Roof { x: draw(400.0), y: draw(400.0), height: 4.0 + draw(20.0), slope: draw(1.0) }).collect()
}

fn suns(steps: usize) -> Vec<Sun> {
    (0..steps)
        .map(|step| {
            let hour = (step as f32 + 0.5) / steps as f32 * 2.0 - 1.0;
            Sun { dx: hour, dy: 0.4, rise: 0.2 + 0.8 * (1.0 - hour * hour) }
        })
        .collect()
}

fn shades(from: &Roof, to: &Roof, sun: &Sun) -> f32 {
    let (x, y) = (to.x - from.x, to.y - from.y);
    let along = x * sun.dx + y * sun.dy;
    let across = x * sun.dy - y * sun.dx;
    let reach = (from.height - to.height) / sun.rise;
    let hit = along > 0.0 && along < reach && across.abs() < 6.0;
    f32::from(u8::from(hit)) * (1.0 - to.slope * 0.25)
}

fn shadow(roofs: &[Roof], of: usize, sun: &Sun) -> f32 { //-OTHER
    let to = roofs[of]; //-OTHER
    roofs.iter().map(|from| shades(from, &to, sun)).fold(0.0, f32::max) //-OTHER
} //-OTHER

fn light(roofs: &[Roof], suns: &[Sun]) -> Vec<f32> {
    let mut sums = vec![0.0f32; roofs.len()];
    for sun in suns {
        for (of, sum) in sums.iter_mut().enumerate() {
            *sum += (1.0 - shadow(roofs, of, sun)) * sun.rise; //-OTHER
            *sum += (1.0 - darkest(roofs, of, sun)) * sun.rise; //OTHER
        }
    }
    sums
}

// The deepest shadow that falls on this roof now. //OTHER
fn darkest(town: &[Roof], number: usize, now: &Sun) -> f32 { //OTHER
    let roof = town[number]; //OTHER
    let mut deepest = 0.0f32; //OTHER
    for other in town { //OTHER
        deepest = f32::max(deepest, shades(other, &roof, now)); //OTHER
    } //OTHER
    deepest //OTHER
} //OTHER

fn blurred(sums: &[f32], width: usize) -> Vec<f32> {
    sums.windows(width).map(|near| near.iter().sum::<f32>() / width as f32).collect()
}

fn main() {
    let roofs = town(1100);
    let sums = light(&roofs, &suns(80));
    let near = blurred(&sums, 9);
    let best = near.iter().copied().fold(0.0, f32::max);
    println!("{} roofs, mean {:.2}, best {:.2}", roofs.len(), sums.iter().sum::<f32>() / roofs.len() as f32, best);
}
