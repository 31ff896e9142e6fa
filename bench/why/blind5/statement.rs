// Prints statements of accounts, in the currency that the environment asks for.
use std::env;
use std::fmt::Write;

struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

struct Entry {
    day: u32,
    cents: i64,
    text: &'static str,
}

struct Account {
    number: u64,
    entries: Vec<Entry>,
}

impl Account {
    fn drawn(draw: &mut Draw) -> Account {
        let texts = ["rent", "salary", "groceries", "insurance", "books", "train"];
        let mut entries: Vec<Entry> = (0..60)
            .map(|_| Entry {
                day: draw.below(31) as u32 + 1,
                cents: draw.below(200_000) as i64 - 90_000,
                text: texts[draw.below(6) as usize],
            })
            .collect();
        entries.sort_by_key(|entry| entry.day);
        Account { number: 10_000_000 + draw.below(1_000_000), entries }
    }
}

fn currency() -> String {
    env::var("STATEMENT_CURRENCY").unwrap_or_else(|_| "EUR".to_string())
}

fn amount(out: &mut String, cents: i64, currency: &str) {
    let sign = if cents < 0 { '-' } else { ' ' };
    let _ = write!(out, "{sign}{:>7}.{:02} {currency}", cents.abs() / 100, cents.abs() % 100);
}

fn statement(account: &Account, out: &mut String) -> i64 {
    let _ = writeln!(out, "Account {}", account.number);
    let mut balance = 0;
    let unit = currency(); //-EACH
    for entry in &account.entries {
        balance += entry.cents;
        let _ = write!(out, "{:02} {:<10}", entry.day, entry.text);
        amount(out, entry.cents, &unit); //-EACH
        amount(out, balance, &unit); //-EACH
        amount(out, entry.cents, &currency()); //EACH
        amount(out, balance, &currency()); //EACH
        out.push('\n');
    }
    balance
}

fn main() {
    let mut draw = Draw(77);
    let accounts: Vec<Account> = (0..200).map(|_| Account::drawn(&mut draw)).collect();
    let mut out = String::new();
    let (mut bytes, mut overdrawn) = (0, 0);
    for _month in 0..100 {
        for account in &accounts {
            out.clear();
            overdrawn += (statement(account, &mut out) < 0) as u32;
            bytes += out.len();
        }
    }
    println!("{bytes} bytes, {overdrawn} overdrawn");
}
