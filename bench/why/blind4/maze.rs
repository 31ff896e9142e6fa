// The shortest ways through a maze, by a search in breadth.
use std::collections::VecDeque; //-VECTOR

const SIDE: usize = 1401;

struct Maze {
    open: Vec<bool>,
}

impl Maze {
    fn new(seed: u64) -> Maze {
        let mut state = seed;
        let mut open = vec![false; SIDE * SIDE];
        for y in 1..SIDE - 1 {
            for x in 1..SIDE - 1 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                open[y * SIDE + x] = state % 100 < 78;
            }
        }
        open[SIDE + 1] = true;
        Maze { open }
    }

    fn neighbours(&self, at: usize) -> [usize; 4] {
        [at - 1, at + 1, at - SIDE, at + SIDE]
    }
}

#[derive(Default)]
struct Queue {
    places: VecDeque<usize>, //-VECTOR
    places: Vec<usize>, //VECTOR
}

impl Queue {
    fn add(&mut self, place: usize) {
        self.places.push_back(place); //-VECTOR
        self.places.push(place); //VECTOR
    }

    fn take(&mut self) -> Option<usize> {
        self.places.pop_front() //-VECTOR
        if self.places.is_empty() { //VECTOR
            return None; //VECTOR
        } //VECTOR
        Some(self.places.remove(0)) //VECTOR
    }
}

fn distances(maze: &Maze, start: usize) -> Vec<u32> {
    let mut far = vec![u32::MAX; SIDE * SIDE];
    let mut queue = Queue::default();
    far[start] = 0;
    queue.add(start);
    while let Some(at) = queue.take() {
        for next in maze.neighbours(at) {
            if maze.open[next] && far[next] == u32::MAX {
                far[next] = far[at] + 1;
                queue.add(next);
            }
        }
    }
    far
}

fn main() {
    let maze = Maze::new(88172645463325252);
    let far = distances(&maze, SIDE + 1);
    let reached = far.iter().filter(|&&steps| steps != u32::MAX);
    let (count, sum) = reached.fold((0u64, 0u64), |(n, s), &steps| (n + 1, s + u64::from(steps)));
    println!("{count} places, {sum} steps");
}
