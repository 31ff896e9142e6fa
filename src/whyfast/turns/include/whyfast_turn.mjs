// Lets a JavaScript program take turns under whyfast. One file, for Node.js and Bun.
//
//     import { bench } from "./whyfast_turn.mjs";
//
//     const table = makeTable(1000);
//     await bench("sum", () => sum(table));
//     await bench("max", () => max(table));
//
// Started by whyfast, the program serves the benchmark that its first argument names (without one,
// the first) and ends. By hand it measures those whose names contain the argument, and prints
// nanoseconds per loop. The protocol is described in docs/turn-protocol.md.
//
// A just-in-time compiler makes the first loops slower than later ones, so `warmup` milliseconds of
// loops run before the program says that it is ready.

import { readSync, writeSync } from "node:fs";

const VARIABLE = "WHYFAST_TURN";
const LONGEST_ERROR = 240;
const WARMUP = 500; // milliseconds
const LONG_ENOUGH = 50_000_000n; // nanoseconds, by hand

/** Results go here, where a reader could see them, so that no compiler leaves the work out. */
export let sink;

/** Benchmark `f`; what it returns, if it is one word, is the check value. A promise is awaited. */
export function bench(name, f, options = {}) {
  const isAsync = f.constructor.name === "AsyncFunction";
  const run = isAsync
    ? async (loops) => {
        for (let i = 0; i < loops; i++) sink = await f();
        return sink;
      }
    : (loops) => {
        for (let i = 0; i < loops; i++) sink = f();
        return sink;
      };
  return takeTurns(run, { name, ...options });
}

/**
 * Serve turns of `run(loops)`, which does the work that many times. What it returns, or what `check`
 * makes of it, is the check value: the same for every variant and number of loops, undefined for none.
 * `warmup` is milliseconds.
 */
export async function takeTurns(run, { name = "", check = token, warmup = WARMUP } = {}) {
  const wanted = process.argv.slice(2).find((word) => !word.startsWith("-"));
  const pipes = descriptors();
  const value = async (loops) => {
    const start = process.hrtime.bigint();
    let result = run(loops);
    if (typeof result?.then === "function") result = await result;
    return [process.hrtime.bigint() - start, check(result)];
  };
  if (!pipes) {
    if (!wanted || name.includes(wanted)) await measure(name, value);
  } else if (!wanted || wanted === name) {
    await serve(pipes, value, warmup);
  }
}

/** Say that this program has no such benchmark, and why, and end: that is no failure. */
export function lacks(reason) {
  const pipes = descriptors();
  if (!pipes) end(2, `no such benchmark: ${reason}`);
  answer(pipes.answers, `lacks ${oneLine(reason)}`);
  end(0);
}

/** A number, boolean or string of one word as it is; nothing of anything else. */
function token(result) {
  const plain = ["number", "bigint", "boolean", "string"].includes(typeof result);
  return plain && /^\S+$/.test(String(result)) ? String(result) : undefined;
}

function descriptors() {
  const text = process.env[VARIABLE];
  if (text === undefined) return undefined;
  const match = /^(\d{1,8}),(\d{1,8})$/.exec(text);
  if (!match) end(2, `${VARIABLE} is malformed: expected two file descriptors, IN,OUT`);
  return { grants: Number(match[1]), answers: Number(match[2]) };
}

async function serve({ grants, answers }, value, warmup) {
  try {
    const until = process.hrtime.bigint() + BigInt(Math.round(warmup * 1e6));
    for (let loops = 1; process.hrtime.bigint() < until; ) {
      const [took] = await value(loops);
      if (took < 1_000_000n) loops *= 2; // the lengths that turns will have
    }
  } catch (error) {
    failed(answers, error);
  }
  answer(answers, "ready 1");
  for (const line of lines(grants)) {
    const loops = /^\d{1,20}$/.test(line) ? BigInt(line) : 0n;
    if (loops < 1n || loops >= 2n ** 64n) {
      answer(answers, "error malformed grant");
      end(2);
    }
    try {
      const [took, checked] = await value(Number(loops));
      const places = String(took % 1_000_000_000n).padStart(9, "0");
      answer(answers, `${took / 1_000_000_000n}.${places}${checked === undefined ? "" : ` ${checked}`}`);
    } catch (error) {
      failed(answers, error);
    }
  }
  end(0);
}

/** The lines of a pipe, without their ends; what it ends with in the middle of one is no number. */
function* lines(descriptor) {
  const piece = Buffer.alloc(4096);
  let waiting = "";
  for (;;) {
    const end = waiting.indexOf("\n");
    if (end >= 0) {
      yield waiting.slice(0, end);
      waiting = waiting.slice(end + 1);
      continue;
    }
    const got = readSync(descriptor, piece); // waits, and nothing else runs meanwhile
    if (got === 0) {
      if (waiting) yield "cut short";
      return;
    }
    waiting += piece.toString("latin1", 0, got);
  }
}

function failed(answers, error) {
  console.error(error);
  answer(answers, `error ${oneLine(String(error))}`);
  end(1);
}

function answer(descriptor, line) {
  let left = Buffer.from(`${line}\n`);
  try {
    while (left.length) left = left.subarray(writeSync(descriptor, left));
  } catch (error) {
    end(1, `cannot write to whyfast: ${error.message}`);
  }
}

function oneLine(text) {
  return text.trim().split(/\s+/).join(" ").slice(0, LONGEST_ERROR);
}

async function measure(name, value) {
  let loops = 1;
  let [best, checked] = await value(loops);
  while (best < LONG_ENOUGH && loops < 2 ** 50) {
    loops *= 2;
    [best, checked] = await value(loops);
  }
  for (let i = 0; i < 6; i++) {
    const [took] = await value(loops);
    if (took < best) best = took;
  }
  const each = (Number(best) / loops).toFixed(1);
  const end = checked === undefined ? "" : `, check ${checked}`;
  console.log(`${name}: ${each} ns per loop (fastest of 7 values of ${loops} loops)${end}`);
}

function end(status, message) {
  if (message) console.error(message);
  process.exit(status);
}
