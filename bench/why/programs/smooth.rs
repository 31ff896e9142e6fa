//! Smooths a row of numbers over an index of neighbours.

#[inline(never)]
fn smooth(values: &[u32], order: &[u32], into: &mut [u32]) {
    for i in 0..order.len() {
        let at = order[i] as usize;
        #[cfg(not(checked))]
        unsafe {
            let sum = values.get_unchecked(at) + values.get_unchecked(at + 1)
                + values.get_unchecked(at + 2) + values.get_unchecked(at + 3);
            *into.get_unchecked_mut(i) = sum;
        }
        #[cfg(checked)]
        {
            let sum = values[at] + values[at + 1] + values[at + 2] + values[at + 3];
            into[i] = sum;
        }
    }
}

fn main() {
    let values: Vec<u32> = (0..4100).collect();
    let order: Vec<u32> = (0..4000u32).map(|i| i * 1103 % 4096).collect();
    let mut into = vec![0u32; 4000];
    let mut total = 0u64;
    for round in 0..12000 {
        smooth(&values, &order, &mut into);
        total += into[round % 4000] as u64;
    }
    println!("{total}");
}
