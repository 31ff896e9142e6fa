// Books events on accounts: payments, refunds, fees and interest, for many days.

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Payment,
    Refund,
    Fee,
    Interest,
}

#[derive(Clone, Copy)]
struct Event {
    kind: Kind,
    amount: i64,
}

#[derive(Default)]
struct Account {
    balance: i64,
    fees: i64,
    refunds: i64,
    checks: i64,
}

#[inline(never)]
fn book(events: &[Event], account: &mut Account) {
    for event in events {
        match event.kind {
            Kind::Payment => {
                account.balance += event.amount;
                account.checks ^= account.balance;
            }
            Kind::Refund => {
                account.refunds += 1;
                account.balance -= event.amount / 16;
            }
            Kind::Fee => account.fees += event.amount * 3,
            Kind::Interest => {
                account.balance += event.amount >> 7;
                account.fees -= 1;
            }
        }
    }
}

fn events() -> Vec<Event> {
    let kinds = [Kind::Payment, Kind::Refund, Kind::Fee, Kind::Interest];
    let mut state: u64 = 47;
    (0..60_000)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            Event {
                kind: kinds[(state >> 62) as usize],
                amount: (state >> 40) as i64 & 0xffff,
            }
        })
        .collect()
}

fn main() {
    let mut events = events();
    let arrived = events.clone();
    events.sort_by_key(|event| event.kind);
    events.copy_from_slice(&arrived); //ARRIVED
    let mut account = Account::default();
    for _ in 0..700 {
        book(&events, &mut account);
    }
    println!("{} {} {} {}", arrived.len(), account.balance, account.fees, account.refunds);
}
