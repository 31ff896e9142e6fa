//! Fades a picture.

#[inline(never)]
fn fade(pixels: &mut [u16], by: u16) {
    for pixel in pixels.iter_mut() {
        *pixel = (*pixel >> 1).wrapping_add(by);
    }
}

fn main() {
    let mut pixels: Vec<u16> = (0..20000).collect();
    let mut sum = 0u64;
    for round in 0..10000u16 {
        fade(&mut pixels, round);
        sum += pixels[round as usize] as u64;
    }
    println!("{sum}");
}
