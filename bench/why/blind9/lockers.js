// Lockers: keys are looked for, names put in order, parts of a message put together, totals printed.
const keys = 1500; //-KEYS
const keys = 12000; //KEYS
const names = 500; //-NAMES
const names = 30000; //NAMES
const parts = 300; //-PARTS
const parts = 2500; //PARTS
const prices = 2000; //-PRICES
const prices = 120000; //PRICES
const lines = 300; //-LINES
const lines = 40000; //LINES
const years = 3; //-YEARS
const years = 60; //YEARS

let seed = 5;
function drawn(below) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return (seed >>> 8) % below;
}

function opened() {
  const known = []; //LISTED
  const known = new Set(); //-LISTED
  for (let i = 0; i < keys; i++) {
    const key = `k${drawn(keys)}`;
    if (!known.includes(key)) known.push(key); //LISTED
    known.add(key); //-LISTED
  }
  return known.length; //LISTED
  return known.size; //-LISTED
}

function ordered() {
  const list = [];
  for (let i = 0; i < names; i++) list.push(`${"abcdefghijklmnop"[drawn(16)]}élie number ${100000 + drawn(90000)}`);
  list.sort((a, b) => a.localeCompare(b)); //COLLATED
  list.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)); //-COLLATED
  return list[names >> 1] + list[names - 1];
}

function message() {
  let whole = Buffer.alloc(0); //GLUED
  const all = []; //-GLUED
  for (let i = 0; i < parts; i++) {
    const part = Buffer.from(`part ${i} of the message ${"x".repeat(i % 60)}\n`);
    whole = Buffer.concat([whole, part]); //GLUED
    all.push(part); //-GLUED
  }
  const whole = Buffer.concat(all); //-GLUED
  return whole.length + whole[parts];
}

function cheapest() {
  const all = []; //-OTHER
  for (let i = 0; i < prices; i++) all.push(100000.5 + drawn(800000)); //-OTHER
  const bill = []; //OTHER
  let count = 0; //OTHER
  while (count < prices) { //OTHER
    bill.push(drawn(800000) + 100000.5); //OTHER
    count++; //OTHER
  } //OTHER
  const all = bill; //OTHER
  all.sort(); //DEFAULT
  all.sort((a, b) => a - b); //-DEFAULT
  return all[0] + all[prices >> 1];
}

function told() {
  const text = []; //-LOGGED
  for (let i = 0; i < lines; i++) {
    console.log(`locker ${i} is ${drawn(2) ? "open" : "closed"}`); //LOGGED
    text.push(`locker ${i} is ${drawn(2) ? "open" : "closed"}`); //-LOGGED
  }
  console.log(text.join("\n")); //-LOGGED
}

function rents() {
  const days = new Array(20000).fill(0).map((_, i) => i % 7);
  let sum = 0;
  for (let year = 0; year < years; year++) {
    for (const day in days) sum += days[day] * year; //NAMED
    for (let day = 0; day < days.length; day++) sum += days[day] * year; //-NAMED
  }
  return sum;
}

told();
console.log(opened(), ordered(), message(), cheapest(), rents());
