// The puzzle of sliding tiles: the shortest solution, by A* with the distances of the tiles.
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

const SIDE: usize = 3;
const CELLS: usize = SIDE * SIDE;

type Tiles = [u8; CELLS];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Move {
    Left,
    Right,
    Up,
    Down,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Open {
    guess: u32,
    made: u32,
    tiles: Tiles,
    path: Vec<Move>, //PATHS
    node: u32, //-PATHS
}

struct Solver {
    best: HashMap<Tiles, u32>,
    open: BinaryHeap<Reverse<Open>>,
    nodes: Vec<(u32, Move)>, //-PATHS
    looked_at: usize,
}

fn far(tiles: &Tiles) -> u32 {
    let mut sum = 0;
    for (at, &tile) in tiles.iter().enumerate() {
        if tile > 0 {
            let home = tile as usize - 1;
            sum += (at % SIDE).abs_diff(home % SIDE) + (at / SIDE).abs_diff(home / SIDE);
        }
    }
    sum as u32
}

fn moved(tiles: &Tiles, step: Move) -> Option<Tiles> {
    let gap = tiles.iter().position(|&t| t == 0)?;
    let (x, y) = (gap % SIDE, gap / SIDE);
    let other = match step {
        Move::Left if x > 0 => gap - 1,
        Move::Right if x + 1 < SIDE => gap + 1,
        Move::Up if y > 0 => gap - SIDE,
        Move::Down if y + 1 < SIDE => gap + SIDE,
        _ => return None,
    };
    let mut next = *tiles;
    next.swap(gap, other);
    Some(next)
}

impl Solver {
    fn new() -> Solver {
        Solver {
            best: HashMap::new(),
            open: BinaryHeap::new(),
            nodes: Vec::new(), //-PATHS
            looked_at: 0,
        }
    }

    fn solved(&mut self, start: Tiles) -> Option<Vec<Move>> {
        self.best.insert(start, 0);
        self.nodes.push((0, Move::Left)); //-PATHS
        self.open.push(Reverse(Open {
            guess: far(&start),
            made: 0,
            tiles: start,
            path: Vec::new(), //PATHS
            node: 0, //-PATHS
        }));
        while let Some(Reverse(now)) = self.open.pop() {
            if now.guess == now.made {
                return Some(now.path); //PATHS
                return Some(self.path(now.node)); //-PATHS
            }
            if now.made > self.best[&now.tiles] {
                continue;
            }
            self.looked_at += 1;
            self.spread(&now);
        }
        None
    }

    fn spread(&mut self, now: &Open) {
        for step in [Move::Left, Move::Right, Move::Up, Move::Down] {
            let Some(tiles) = moved(&now.tiles, step) else { continue };
            let made = now.made + 1;
            let known = self.best.entry(tiles).or_insert(u32::MAX);
            if made >= *known {
                continue;
            }
            *known = made;
            let mut path = now.path.clone(); //PATHS
            path.push(step); //PATHS
            let node = self.nodes.len() as u32; //-PATHS
            self.nodes.push((now.node, step)); //-PATHS
            self.open.push(Reverse(Open {
                guess: made + far(&tiles),
                made,
                tiles,
                path, //PATHS
                node, //-PATHS
            }));
        }
    }

    fn path(&self, mut node: u32) -> Vec<Move> { //-PATHS
        let mut path = Vec::new(); //-PATHS
        while node > 0 { //-PATHS
            let (before, step) = self.nodes[node as usize]; //-PATHS
            path.push(step); //-PATHS
            node = before; //-PATHS
        } //-PATHS
        path.reverse(); //-PATHS
        path //-PATHS
    } //-PATHS
}

fn main() {
    let starts: [Tiles; 6] = [
        [8, 6, 7, 2, 5, 4, 3, 0, 1],
        [6, 4, 7, 8, 5, 0, 3, 2, 1],
        [5, 6, 7, 2, 8, 4, 0, 3, 1],
        [8, 7, 6, 0, 4, 1, 2, 5, 3],
        [2, 1, 5, 8, 3, 0, 7, 6, 4],
        [7, 8, 4, 5, 6, 1, 3, 2, 0],
    ];
    let (mut steps, mut looked_at) = (0, 0);
    for round in 0..ROUNDS {
        let mut solver = Solver::new();
        let path = solver.solved(starts[round % starts.len()]);
        steps += path.map_or(0, |p| p.len());
        looked_at += solver.looked_at;
    }
    println!("{steps} moves, {looked_at} positions");
}

const ROUNDS: usize = 10;
