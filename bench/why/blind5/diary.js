// Writes the diary of a simulated post office to a file and reads it again.
"use strict";

const fs = require("fs");
const os = require("os");
const path = require("path");

let seed = 21;

function draw(below) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return (seed >>> 8) % below;
}

class Diary {
  constructor(file) {
    this.file = file;
    this.lines = [];
    fs.writeFileSync(file, "");
  }

  note(line) {
    fs.appendFileSync(this.file, line + "\n"); //APPEND
    this.lines.push(line); //-APPEND
    if (this.lines.length >= 500) this.close(); //-APPEND
  }

  close() {
    if (this.lines.length === 0) return;
    fs.appendFileSync(this.file, this.lines.join("\n") + "\n");
    this.lines = [];
  }
}

function served(customers, diary) {
  let clock = 0;
  let waited = 0;
  const free = [0, 0, 0];
  for (let number = 0; number < customers; number++) {
    clock += draw(40);
    let desk = 0;
    for (let i = 1; i < free.length; i++) {
      if (free[i] < free[desk]) desk = i;
    }
    const begins = Math.max(clock, free[desk]);
    free[desk] = begins + 20 + draw(90);
    waited += begins - clock;
    diary.note(`${clock} customer ${number} waits ${begins - clock} at desk ${desk}`);
  }
  diary.close();
  return waited;
}

function longest(file) {
  let most = 0;
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    const match = /waits (\d+)/.exec(line);
    if (match) most = Math.max(most, Number(match[1]));
  }
  return most;
}

function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "diary-"));
  const file = path.join(folder, "diary.txt");
  const waited = served(9000, new Diary(file));
  let most = 0;
  for (let again = 0; again < 20; again++) most = longest(file);
  fs.rmSync(folder, { recursive: true });
  console.log("waited", waited, "longest", most);
}

main();
