'use strict';
// A survey: answers come in, are checked and kept, and told to who listens.
const { EventEmitter } = require('node:events');

function drawn(state) {
  state.seed = (Math.imul(state.seed, 1664525) + 1013904223) >>> 0;
  return state.seed >>> 8;
}

function checked(answer) {
  const found = [];
  if (answer.age < 18) found.push(new Error('too young')); //STACKS
  if (answer.age > 90) found.push(new Error('too old')); //STACKS
  if (answer.town === 7) found.push(new Error('no such town')); //STACKS
  if (answer.age < 18) found.push({ message: 'too young' }); //-STACKS
  if (answer.age > 90) found.push({ message: 'too old' }); //-STACKS
  if (answer.town === 7) found.push({ message: 'no such town' }); //-STACKS
  return found;
}

function kept(answer) {
  return structuredClone(answer); //CLONE
  return { ...answer, marks: [...answer.marks] }; //-CLONE
}

const office = new EventEmitter();
office.setMaxListeners(0);
let heard = 0;

function opened(page) {
  let last = 0;
  const listener = (answer) => { last = answer.age; heard = Math.max(heard, last); };
  office.on('answer', listener);
  return () => {
    office.off('answer', listener); //-LEAKS
    return last;
  };
}

function main() {
  const state = { seed: 4 };
  let wrong = 0, sum = 0;
  let shut = opened(0);
  for (let i = 0; i < COUNT; i++) {
    if (i % 2000 === 0) {
      sum += shut();
      shut = opened(i / 2000);
    }
    const answer = { age: drawn(state) % 100, town: drawn(state) % 60, marks: [1, drawn(state) % 6, 3] };
    for (const error of checked(answer)) wrong += error.message.length;
    const mine = KEEP ? kept(answer) : answer;
    mine.marks[0] += mine.age;
    sum += mine.marks[0] + mine.marks[1];
    office.emit('answer', mine);
  }
  console.log(wrong, sum, heard);
}

const COUNT = 250000; //-KEPT
const COUNT = 120000; //KEPT
const KEEP = false; //-KEPT
const KEEP = true; //KEPT
main();
