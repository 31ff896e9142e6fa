// Finds the pair of pictures that are most alike, by the distances of their squares.
fn distance(a: &[i32], b: &[i32]) -> i32 {
    let mut sum = 0;
    for (x, y) in a.iter().zip(b) {
        sum += (x - y) * (x - y);
    }
    sum
}

fn main() {
    let pictures: Vec<Vec<i32>> = (0..220)
        .map(|n| (0..2048).map(|i| (i * (n * 7 + 3) / 5 + n) % 256).collect())
        .collect();
    let mut best = (i32::MAX, 0, 0);
    for round in 0..4 {
        for i in round..pictures.len() {
            for j in i + 1..pictures.len() {
                best = best.min((distance(&pictures[i], &pictures[j]), i, j));
            }
        }
    }
    println!("{best:?}");
}
