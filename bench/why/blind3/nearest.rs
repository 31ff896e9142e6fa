// Looks for the nearest of many points in 96 dimensions, as a search by meaning does.

const SIZE: usize = 96;
const POINTS: usize = 4000;

fn numbers(count: usize, mut state: u32) -> Vec<f32> {
    (0..count)
        .map(|_| {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            (state >> 8) as f32 / 16_777_216.0 - 0.5
        })
        .collect()
}

#[inline(never)]
fn likeness(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum() //INORDER
    let mut sums = [0.0f32; 8]; //-INORDER
    for (x, y) in a.chunks_exact(8).zip(b.chunks_exact(8)) { //-INORDER
        for i in 0..8 { //-INORDER
            sums[i] += x[i] * y[i]; //-INORDER
        } //-INORDER
    } //-INORDER
    sums.iter().sum() //-INORDER
}

fn nearest(points: &[f32], asked: &[f32]) -> usize {
    let mut best = (f32::MIN, 0);
    for (i, point) in points.chunks_exact(SIZE).enumerate() {
        let like = likeness(point, asked);
        if like > best.0 {
            best = (like, i);
        }
    }
    best.1
}

fn main() {
    let points = numbers(POINTS * SIZE, 37);
    let questions = numbers(1200 * SIZE, 41);
    let mut sum = 0;
    for asked in questions.chunks_exact(SIZE) {
        sum += nearest(&points, asked);
    }
    println!("{sum}");
}
