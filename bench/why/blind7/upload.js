'use strict';
// An upload comes in small parts, is put together, and taken apart into fields.
const crypto = require('crypto');

function* parts(total, size) {
  let seed = 5;
  for (let sent = 0; sent < total; sent += size) {
    const part = Buffer.alloc(Math.min(size, total - sent));
    for (let i = 0; i < part.length; i += 16) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      part.fill(97 + (seed >>> 28), i, i + 15);
      part[Math.min(i + 15, part.length - 1)] = 10;
    }
    yield part;
  }
}

class Upload {
  constructor() {
    this.data = Buffer.alloc(0); //CONCAT
    this.parts = []; //-CONCAT
  }

  take(part) {
    this.data = Buffer.concat([this.data, part]); //CONCAT
    this.parts.push(part); //-CONCAT
  }

  whole() {
    return this.data; //CONCAT
    return Buffer.concat(this.parts); //-CONCAT
  }
}

function fields(data) {
  const counts = new Map();
  let from = 0;
  for (let at = data.indexOf(10); at >= 0; at = data.indexOf(10, from)) {
    const key = at > from ? data[from] : 0;
    counts.set(key, (counts.get(key) || 0) + at - from);
    from = at + 1;
  }
  return counts;
}

function main() {
  const sums = [];
  for (let file = 0; file < 3; file++) {
    const upload = new Upload();
    for (const part of parts(1228800 + file * 1024, 2048)) upload.take(part);
    const data = upload.whole();
    const counts = fields(data);
    sums.push(counts.size, crypto.createHash('sha1').update(data).digest('hex').slice(0, 12));
  }
  console.log(...sums);
}

main();
