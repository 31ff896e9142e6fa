// Equal programs: the same loop written in two ways that compile to the same work.
#[inline(never)]
fn sieve_of(n: usize) -> Vec<bool> { //OTHER
fn sieve(limit: usize) -> Vec<bool> { //-OTHER
    let mut composite = vec![false; n + 1]; //OTHER
    let mut step = 2; //OTHER
    while step * step <= n { //OTHER
        if !composite[step] { //OTHER
            let mut at = step * step; //OTHER
            while at <= n { composite[at] = true; at += step; } //OTHER
        } //OTHER
        step += 1; //OTHER
    } //OTHER
    composite //OTHER
    let mut marked = vec![false; limit + 1]; //-OTHER
    let mut p = 2; //-OTHER
    while p * p <= limit { //-OTHER
        if !marked[p] { //-OTHER
            let mut m = p * p; //-OTHER
            while m <= limit { //-OTHER
                marked[m] = true; //-OTHER
                m += p; //-OTHER
            } //-OTHER
        } //-OTHER
        p += 1; //-OTHER
    } //-OTHER
    marked //-OTHER
}

fn main() {
    let mut n = 0;
    for round in 0..20 {
        n += sieve_of(1_000_000 + round).iter().filter(|c| !**c).count(); //OTHER
        n += sieve(1_000_000 + round).iter().filter(|c| !**c).count(); //-OTHER
    }
    println!("{n}");
}
