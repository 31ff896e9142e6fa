// Checks forms that were sent in: each field has a rule, and what is wrong is counted.
"use strict";

class Invalid extends Error {
  constructor(field) {
    super("invalid: " + field);
    this.field = field;
  }
}

let seed = 13;

function draw(below) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return (seed >>> 8) % below;
}

function sent() {
  return {
    name: draw(9) ? "Visitor " + draw(1000) : "",
    mail: draw(5) ? "v" + draw(1000) + "@example.org" : "none",
    age: String(draw(120)),
    town: ["Arles", "Bergen", "Cork", ""][draw(4)],
  };
}

const rules = {
  name: (text) => text.length > 0,
  mail: (text) => text.indexOf("@") > 0 && text.endsWith(".org"),
  age: (text) => Number(text) >= 18,
  town: (text) => text !== "",
};

// The field of the first field that is wrong, or nothing.
function problem(form) {
  for (const field of Object.keys(rules)) {
    if (!rules[field](form[field])) return field;
  }
  return null;
}

function check(form) {
  const field = problem(form);
  if (field !== null) throw new Invalid(field); //THROW
  return field; //-THROW
  return null; //THROW
}

function counted(forms, counts) {
  for (const form of forms) {
    let field = null;
    try {
      field = check(form); //-CLONE
      field = check(JSON.parse(JSON.stringify(form))); //CLONE
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      field = error.field;
    }
    if (field !== null) counts[field] += 1;
  }
}

function main() {
  const counts = { name: 0, mail: 0, age: 0, town: 0 };
  let length = 0;
  for (let batch = 0; batch < 300; batch++) {
    const forms = Array.from({ length: 300 }, sent);
    counted(forms, counts);
    length += JSON.stringify(forms).length;
  }
  console.log(JSON.stringify(counts), length);
}

main();
