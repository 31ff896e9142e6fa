// A bureau: requests wait in a queue, letters are packed, cases are read.
const zlib = require("node:zlib");

const requests = 1000; //-QUEUE
const requests = 36000; //QUEUE
const letters = 20; //-PACK
const letters = 1500; //PACK
const cases = 1000; //-CASE
const cases = 600000; //CASE

function queued() {
  const queue = [];
  let sum = 0;
  for (let i = 0; i < requests; i++) queue.push(i);
  let first = 0; //-SHIFT
  while (first < queue.length) { //-SHIFT
    const one = queue[first++]; //-SHIFT
  while (queue.length > 0) { //SHIFT
    const one = queue.shift(); //SHIFT
    sum += one % 9;
    if (one % 36 === 8) queue.push(one + 1);
  }
  return sum;
}

function packed() {
  let bytes = 0;
  const parts = []; //-SINGLE
  for (let i = 0; i < letters; i++) {
    const letter = Buffer.from(`Dear ${i}, your request of day ${i * 7 % 365} was granted.\n`.repeat(4));
    bytes += zlib.deflateSync(letter).length > 0 ? letter.length : 0; //SINGLE
    parts.push(letter); //-SINGLE
    if (i % 100 === 99) bytes += zlib.deflateSync(Buffer.concat(parts.splice(0))).length > 0 ? 1 : 0; //-SINGLE
    bytes += letter.length; //-SINGLE
    if (i % 100 === 99) bytes += 1; //SINGLE
  }
  return bytes;
}

function opened(file) {
  return file; //-WATCHED
  return new Proxy(file, { //WATCHED
    get(of, name) { //WATCHED
      if (!(name in of)) throw new Error(`no ${name}`); //WATCHED
      return of[name]; //WATCHED
    }, //WATCHED
  }); //WATCHED
}

function read() {
  const files = [];
  for (let i = 0; i < 50; i++) files.push(opened({ number: i, pages: 20 + i, shelf: i % 7, lent: i % 3 === 0 }));
  let pages = 0;
  for (let i = 0; i < cases; i++) {
    const file = files[i % 50];
    if (!file.lent) pages += file.pages * file.shelf + file.number;
  }
  return pages;
}

function stamped() {
  let stamp = 1; //-OTHER
  for (let i = 0; i < 4e6; i++) stamp = (Math.imul(stamp ^ (stamp >>> 15), 2246822519) + i) | 0; //-OTHER
  return stamp; //-OTHER
  let mark = 1; //OTHER
  let turn = 0; //OTHER
  while (4e6 > turn) { //OTHER
    mark = (turn + Math.imul(2246822519, (mark >>> 15) ^ mark)) | 0; //OTHER
    turn++; //OTHER
  } //OTHER
  return mark; //OTHER
}

console.log(queued(), packed(), read(), stamped());
