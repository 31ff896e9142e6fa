// Draws the winners of a raffle many times and counts how often each kind of ticket wins.
"use strict";

const LIMIT = 1n << 32n; //BIG

class Drum {
  constructor(seed) {
    this.state = BigInt(seed); //BIG
    this.state = seed >>> 0; //-BIG
  }

  // A number below this limit.
  draw(below) {
    this.state = (this.state * 1664525n + 1013904223n) % LIMIT; //BIG
    return Number(this.state >> 8n) % below; //BIG
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0; //-BIG
    return (this.state >>> 8) % below; //-BIG
  }
}

const kinds = ["red", "blue", "green", "white"];

function sold(drum, count) {
  const tickets = [];
  for (let number = 0; number < count; number++) {
    tickets.push({ number, kind: kinds[drum.draw(kinds.length)], price: 2 + drum.draw(9), won: 0 });
  }
  return tickets;
}

// Chooses so many tickets by swapping them to the front.
function winners(drum, order, count) { //-OTHER
  for (let i = 0; i < count; i++) { //-OTHER
    const at = i + drum.draw(order.length - i); //-OTHER
    const swapped = order[i]; //-OTHER
    order[i] = order[at]; //-OTHER
    order[at] = swapped; //-OTHER
  } //-OTHER
  return count; //-OTHER
} //-OTHER
function firstOnes(cage, row, most) { //OTHER
  let place = 0; //OTHER
  while (place < most) { //OTHER
    const chosen = place + cage.draw(row.length - place); //OTHER
    const kept = row[place]; //OTHER
    row[place] = row[chosen]; //OTHER
    row[chosen] = kept; //OTHER
    place++; //OTHER
  } //OTHER
  return most; //OTHER
} //OTHER

function played(drum, tickets, rounds) {
  const order = tickets.map((ticket) => ticket.number);
  let paid = 0;
  for (let round = 0; round < rounds; round++) {
    const count = winners(drum, order, 100); //-OTHER
    const count = firstOnes(drum, order, 100); //OTHER
    for (let place = 0; place < count; place++) {
      const ticket = tickets[order[place]];
      ticket.won += 1;
      paid += place < 3 ? 50 * ticket.price : ticket.price;
    }
  }
  return paid;
}

function byKind(tickets) {
  const sums = new Map();
  for (const ticket of tickets) {
    sums.set(ticket.kind, (sums.get(ticket.kind) || 0) + ticket.won);
  }
  return kinds.map((kind) => `${kind} ${sums.get(kind)}`).join(", ");
}

const drum = new Drum(2024);
const tickets = sold(drum, 5000);
const paid = played(drum, tickets, 55000);
console.log(byKind(tickets), paid);
