//! Makes labels and adds up their lengths.

#[inline(never)]
fn label(number: usize, line: &mut String) -> usize {
    #[cfg(fresh)]
    {
        let mut text = String::new();
        text.push_str("a label of the shelf ");
        text.push((b'a' + (number % 26) as u8) as char);
        line.clear();
        text.len()
    }
    #[cfg(not(fresh))]
    {
        line.clear();
        line.push_str("a label of the shelf ");
        line.push((b'a' + (number % 26) as u8) as char);
        line.len()
    }
}

fn main() {
    let mut line = String::with_capacity(64);
    let mut sum = 0;
    for number in 0..4_000_000 {
        sum += label(number, &mut line);
    }
    println!("{sum}");
}
