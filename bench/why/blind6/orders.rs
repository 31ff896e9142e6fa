// Checks orders that customers typed; each error tells what was wrong and where it came from.
use std::backtrace::Backtrace;
use std::fmt;

#[derive(Debug)]
struct Trouble {
    what: &'static str,
    line: usize,
    origin: Backtrace,
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.what)
    }
}

impl Trouble {
    #[inline(never)]
    fn new(what: &'static str, line: usize) -> Trouble {
        Trouble { what, line, origin: Backtrace::capture() }
    }
}

struct Order<'a> {
    article: &'a str,
    pieces: u32,
    cents: u32,
}

fn number(text: &str, line: usize) -> Result<u32, Trouble> {
    text.parse().map_err(|_| Trouble::new("not a number", line))
}

fn price(text: &str, line: usize) -> Result<u32, Trouble> {
    let (whole, rest) = text.split_once('.').ok_or_else(|| Trouble::new("no cents", line))?;
    Ok(number(whole, line)? * 100 + number(rest, line)?)
}

fn order(text: &str, line: usize) -> Result<Order<'_>, Trouble> {
    let mut parts = text.split(';');
    let article = parts.next().filter(|name| !name.is_empty()).ok_or_else(|| Trouble::new("no article", line))?;
    let pieces = number(parts.next().ok_or_else(|| Trouble::new("no pieces", line))?, line)?;
    let cents = price(parts.next().ok_or_else(|| Trouble::new("no price", line))?, line)?;
    Ok(Order { article, pieces, cents })
}

fn typed(count: usize) -> Vec<String> {
    let mut seed = 3u32;
    (0..count)
        .map(|n| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (pieces, whole, rest) = ((seed >> 8) % 40, (seed >> 12) % 90, (seed >> 20) % 100);
            match n % 31 {
                5 => format!("article {n};{pieces}"),
                11 => format!("article {n};some;{whole}.{rest:02}"),
                _ => format!("article {n};{pieces};{whole}.{rest:02}"),
            }
        })
        .collect()
}

fn main() {
    let lines = typed(12_000);
    let (mut total, mut letters, mut wrong, mut told) = (0u64, 0, 0, 0);
    for _ in 0..200 {
        for (at, line) in lines.iter().enumerate() {
            match order(line, at + 1) {
                Ok(order) => {
                    total += u64::from(order.pieces) * u64::from(order.cents);
                    letters += order.article.len();
                }
                Err(trouble) => {
                    wrong += 1;
                    told += usize::from(trouble.what.len() + trouble.line > 0);
                    if wrong == 1 {
                        let known = matches!(trouble.origin.status(), std::backtrace::BacktraceStatus::Unsupported);
                        println!("{trouble}{}", if known { " (?)" } else { "" });
                    }
                }
            }
        }
    }
    println!("{total} cents, {letters} letters, {wrong} wrong, {told} told");
}
