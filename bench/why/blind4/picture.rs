// Turns a picture from linear light to the screen's and back for a preview.
fn to_screen(light: f32) -> f32 {
    light.sqrt() //-POWER
    light.powf(1.0 / 2.2) //POWER
}

fn brightened(row: &[f32], out: &mut Vec<f32>, gain: f32) {
    out.clear();
    for &value in row {
        out.push(to_screen((value * gain).min(1.0)));
    }
}

fn main() {
    let row: Vec<f32> = (0..4096).map(|x| (x * 37 % 4096) as f32 / 4096.0).collect();
    let mut out = Vec::with_capacity(row.len());
    let mut sum = 0.0f64;
    for y in 0..4000 {
        brightened(&row, &mut out, 0.5 + y as f32 / 4000.0);
        sum += f64::from(out[y]);
    }
    println!("{sum:.1}");
}
