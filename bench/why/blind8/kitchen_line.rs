// A line of cooks: orders are handed on from one to the next through channels.
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::thread;

struct Order {
    number: u32,
    dishes: [u16; 6],
    time: u32,
}

const ROOM: usize = 0; //HANDED
const ROOM: usize = 256; //-HANDED

fn cook(from: Receiver<Order>, to: SyncSender<Order>, skill: u32) {
    for mut order in from {
        for dish in order.dishes.iter_mut() {
            for step in 0..3000 {
                *dish = dish.wrapping_mul(31).wrapping_add((skill + step) as u16);
            }
            order.time += *dish as u32 % 7;
        }
        if to.send(order).is_err() {
            return;
        }
    }
}

fn main() {
    let (give, mut take) = sync_channel::<Order>(ROOM);
    let mut threads = Vec::new();
    for skill in 0..3 {
        let (out, next) = sync_channel::<Order>(ROOM);
        let from = std::mem::replace(&mut take, next);
        threads.push(thread::spawn(move || cook(from, out, skill)));
    }
    threads.push(thread::spawn(move || {
        for number in 0..8000u32 {
            let dishes = [number as u16, 3, 5, 7, 11, 13];
            give.send(Order { number, dishes, time: 0 }).unwrap();
        }
    }));
    let mut digest = 0u64;
    for order in take {
        digest = digest.wrapping_mul(31).wrapping_add((order.time + order.number) as u64);
    }
    for thread in threads {
        thread.join().unwrap();
    }
    println!("{digest}");
}
