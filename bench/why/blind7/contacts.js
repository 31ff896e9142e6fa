'use strict';
// Contacts from several sources are put together: the same person by mail, newest value of each field.
const COUNT = 60000;

function drawn(state) {
  state.seed = (Math.imul(state.seed, 1664525) + 1013904223) >>> 0;
  return state.seed >>> 8;
}

// What a source knows of a person: fields come in the order in which the source has them.
function contact(state, number) {
  const at = drawn(state) % 1000000;
  const mail = (drawn(state) % 5000) * 7;
  const city = drawn(state) % 300;
  const phone = drawn(state) % 100000;
  const score = drawn(state) % 50;
  const first = drawn(state) % 5; //SHAPES
  const person = {}; //SHAPES
  const fields = { mail, city, phone, score, at }; //SHAPES
  const names = ['mail', 'city', 'phone', 'score', 'at']; //SHAPES
  for (let i = 0; i < 5; i++) { //SHAPES
    const name = names[(first + i * (1 + number % 4)) % 5]; //SHAPES
    person[name] = fields[name]; //SHAPES
  } //SHAPES
  drawn(state); //-SHAPES
  const person = { mail, city, phone, score, at }; //-SHAPES
  return person;
}

function merged(known, person) {
  if (person.at > known.at) {
    known.city = person.city;
    known.phone = person.phone;
    known.at = person.at;
  }
  known.score += person.score;
}

function near(a, b) {
  const far = a.city - b.city;
  return (far < 0 ? -far : far) + (a.score > b.score ? 1 : 0) + (a.phone % 7 === b.phone % 7 ? 0 : 2);
}

function shown(value) {
  return value.toLocaleString('en-US', { minimumFractionDigits: 2 }); //LOCALE
  return shownBy.format(value); //-LOCALE
}

const shownBy = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 }); //-LOCALE

function main() {
  const state = { seed: 6 };
  const people = [];
  for (let i = 0; i < COUNT; i++) people.push(contact(state, i));
  let total = 0;
  for (let round = 0; round < 60; round++) {
    for (let i = 1; i < COUNT; i++) total += near(people[i - 1], people[i]);
  }
  const byMail = new Map();
  for (const person of people) {
    const known = byMail.get(person.mail);
    if (known) merged(known, person);
    else byMail.set(person.mail, person);
  }
  const page = [];
  for (const person of byMail.values()) page.push(shown(person.phone * 10 + person.score));
  let letters = 0;
  for (const text of page) letters += text.length;
  console.log(byMail.size, total, letters, page[17], page[page.length - 1]);
}

main();
