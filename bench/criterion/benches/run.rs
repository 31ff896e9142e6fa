//! Times whole runs of the command in $COMMAND, whose words are separated by the character 31.

use criterion::{criterion_group, criterion_main, Criterion};
use std::process::{Command, Stdio};

fn run(c: &mut Criterion) {
    let line = std::env::var("COMMAND").expect("COMMAND");
    let words: Vec<&str> = line.split('\x1f').collect();
    c.bench_function("run", |b| {
        b.iter(|| {
            let mut command = Command::new(words[0]);
            let status = command.args(&words[1..]).stdout(Stdio::null()).status();
            assert!(status.expect("to start").success());
        })
    });
}

criterion_group!(benches, run);
criterion_main!(benches);
