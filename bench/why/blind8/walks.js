'use strict';
// Walks: small objects for each step are kept for a while, as a cache does.
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

function main() {
  const state = { seed: 3 };
  const recent = new Array(30000).fill(null);
  let sum = 0;
  for (let i = 0; i < 1200000; i++) {
    const step = stepped(state, i); //-OTHER
    const old = recent[i % recent.length]; //-OTHER
    if (old) sum = (sum + old.x * step.y + old.name[1]) | 0; //-OTHER
    recent[i % recent.length] = step; //-OTHER
    const one = stepped(state, i); //OTHER
    const before = recent[i % recent.length]; //OTHER
    if (before) sum = (before.x * one.y + sum + before.name[1]) | 0; //OTHER
    recent[i % recent.length] = one; //OTHER
  }
  console.log(sum);
}

main();
