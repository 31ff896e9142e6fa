// Adds up prices with many formulas, made from texts.
const formulas = 24;

function formula(n) {
  const text = `let sum = 0;
    for (let i = 0; i < rows.length; i++) sum += rows[i].price * ${n} + rows[i].count;
    return sum;`;
  return new Function("rows", text);
}

const shapes = [
  (i) => ({ price: i, count: 1 }),
  (i) => ({ count: 1, price: i }),
  (i) => ({ name: "x", price: i, count: 1 }),
  (i) => ({ name: "x", count: 1, price: i }),
];
const mixed = process.argv[2] === "mixed";
const kinds = shapes.map((shape, kind) =>
  Array.from({ length: 4000 }, (_, i) => shapes[mixed ? i % 4 : kind](i)),
);

let sum = 0;
for (let n = 0; n < formulas; n++) {
  const add = formula(n);
  for (const rows of kinds) {
    for (let round = 0; round < 12; round++) sum += add(rows);
  }
}
console.log(sum);
