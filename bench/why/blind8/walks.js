'use strict';
// Walks: small objects for each step are kept for a while, as a history does.
function drawn(state) {
  state.seed = (Math.imul(state.seed, 1664525) + 1013904223) >>> 0;
  return state.seed >>> 8;
}

function stepped(state, number) {
  return { x: drawn(state) % 1000, y: drawn(state) % 1000, name: [number, number % 7] };
}

function passed(steps, state) { //OTHER
  let near = 0; //OTHER
  for (const { x, y } of steps) if (y > x) near += y - x; //OTHER
  return near; //OTHER
} //OTHER

const ROOM = 150000; //HOLDS
const ROOM = 100; //-HOLDS

function main() {
  const state = { seed: 3 };
  const recent = new Array(ROOM).fill(null);
  let sum = 0;
  for (let i = 0; i < 1500000; i++) {
    const step = stepped(state, i); //-OTHER
    const old = recent[i % recent.length]; //-OTHER
    if (old) sum = (sum + old.name.length) | 0; //-OTHER
    sum = (sum + step.x * step.y + step.name[1]) | 0; //-OTHER
    recent[i % recent.length] = step; //-OTHER
    const one = stepped(state, i); //OTHER
    const before = recent[i % recent.length]; //OTHER
    if (before) sum = (before.name.length + sum) | 0; //OTHER
    sum = (one.name[1] + one.y * one.x + sum) | 0; //OTHER
    recent[i % recent.length] = one; //OTHER
  }
  console.log(sum + 2 * recent.filter((step) => step).length);
}

main();
