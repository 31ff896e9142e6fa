'use strict';
// Orders go through steps: checked, priced, taxed, and summed up by country.
const COUNTRIES = ['at', 'be', 'ch', 'de', 'es', 'fr', 'it', 'nl'];

class Prices {
  constructor() {
    this.kept = new Map();
    for (let i = 0; i < 500; i++) this.kept.set('a' + i, 100 + (i * 37) % 900);
  }

  async of(article) { //AWAIT
  of(article) { //-AWAIT
    return this.kept.get(article) || 0;
  }
}

async function taxed(amount, country) { //AWAIT
function taxed(amount, country) { //-AWAIT
  const rate = 17 + country.charCodeAt(0) % 8;
  return Math.round(amount * (100 + rate) / 100);
}

async function priced(order, prices) {
  let sum = 0;
  for (const line of order.lines) {
    const price = await prices.of(line.article); //AWAIT
    sum += await taxed(price * line.pieces, order.country); //AWAIT
    const price = prices.of(line.article); //-AWAIT
    sum += taxed(price * line.pieces, order.country); //-AWAIT
  }
  return sum;
}

// Orders of six lines, drawn at random. //OTHER
function* asked(number) { //OTHER
  let seed = 12; //OTHER
  for (let n = 0; n < number; n++) { //OTHER
    const parts = []; //OTHER
    for (let j = 0; j < 6; j++) { //OTHER
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; //OTHER
      parts.push({ article: 'a' + (seed >>> 8) % 520, pieces: 1 + (seed >>> 29) }); //OTHER
    } //OTHER
    yield { country: COUNTRIES[(seed >>> 20) % 8], lines: parts }; //OTHER
  } //OTHER
} //OTHER

function* orders(count) { //-OTHER
  let seed = 12; //-OTHER
  for (let i = 0; i < count; i++) { //-OTHER
    const lines = []; //-OTHER
    for (let k = 0; k < 6; k++) { //-OTHER
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; //-OTHER
      lines.push({ article: 'a' + (seed >>> 8) % 520, pieces: 1 + (seed >>> 29) }); //-OTHER
    } //-OTHER
    yield { country: COUNTRIES[(seed >>> 20) % 8], lines }; //-OTHER
  } //-OTHER
} //-OTHER

async function main() {
  const prices = new Prices();
  const sums = new Map();
  for (const order of orders(120000)) { //-OTHER
  for (const order of asked(120000)) { //OTHER
    const sum = await priced(order, prices);
    sums.set(order.country, (sums.get(order.country) || 0) + sum);
  }
  console.log([...sums].sort().map(([country, sum]) => country + ' ' + sum).join(', '));
}

main();
