'use strict';
// A ledger: entries are kept by number, lines of it are written, and some of it is read again from a file.
const fs = require('node:fs');
const path = require('node:path');

function drawn(state) {
  state.seed = (Math.imul(state.seed, 1664525) + 1013904223) >>> 0;
  return state.seed >>> 8;
}

function filled(count, state) {
  const book = [];
  book[40000000] = 0; //SPARSE
  for (let i = 0; i < count; i++) book[i] = drawn(state) % 1000;
  return book;
}

function summed(book, count, rounds, state) {
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < count; i++) {
      const at = (i * 7919 + round) % count;
      book[at] = (book[at] + 3) % 1000;
      sum = (sum + book[at]) | 0;
    }
  }
  return sum;
}

// A line of text is put together; its last letter says what may come next.
function line(state, length) {
  let text = '';
  let last = 0; //-LOOKS
  let sum = 0;
  for (let i = 0; i < length; i++) {
    const code = 97 + drawn(state) % 26;
    text += String.fromCharCode(code);
    last = code; //-LOOKS
    const last = text.charCodeAt(text.length - 1); //LOOKS
    sum += last & 3;
  }
  return sum + text.charCodeAt(0) + text.length;
}

async function reread(file) {
  let sum = 0;
  for await (const part of fs.createReadStream(file, { highWaterMark: 65536 })) { //-SIPS
  for await (const part of fs.createReadStream(file, { highWaterMark: 512 })) { //SIPS
    for (let i = 0; i < part.length; i++) sum = (sum * 31 + part[i]) | 0;
  }
  return sum;
}

async function rested(state) {
  let sum = 0;
  for (let i = 0; i < 100; i++) {
    for (let j = 0; j < 20000; j++) sum = (sum * 31 + drawn(state)) | 0;
    await new Promise((go) => setTimeout(go, 0)); //RESTS
    await new Promise((go) => setImmediate(go)); //-RESTS
  }
  return sum;
}

async function main() {
  const state = { seed: 7 };
  let sum = 0;
  sum += summed(filled(20000, state), 20000, 60, state); //BOOK
  for (let i = 0; i < 2; i++) sum += line(state, 45000); //LINE
  const file = path.join(__dirname, 'ledger.txt'); //FILE
  for (let i = 0; i < 2; i++) sum = (sum * 3 + await reread(file)) | 0; //FILE
  sum += await rested(state); //REST
  console.log(sum);
}

main();
