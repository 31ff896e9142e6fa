// A shop: visitors put things into baskets and take them out again; at the end baskets are priced.
"use strict";

const prices = { tea: 340, bread: 250, jam: 410, soap: 190, paper: 120, candle: 560 };
const names = Object.keys(prices);

let seed = 5;

function draw(below) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return (seed >>> 8) % below;
}

function opened(number) {
  return { number, owner: "visitor " + number, tea: 0, bread: 0, jam: 0, soap: 0, paper: 0, candle: 0, voucher: 50 };
}

function shop(basket) {
  for (let i = 0; i < 6; i++) {
    basket[names[draw(names.length)]] += 1;
  }
  if (draw(4) > 0) {
    delete basket.owner; //DELETE
    basket.owner = undefined; //-DELETE
  }
}

// The number of the basket with the highest price. //OTHER
function mostValuable(all) { //OTHER
  let candidate = all[0]; //OTHER
  for (const other of all) { //OTHER
    if (subtotal(other) > subtotal(candidate)) candidate = other; //OTHER
  } //OTHER
  return candidate.number; //OTHER
} //OTHER

function subtotal(basket) {
  return (
    basket.tea * prices.tea +
    basket.bread * prices.bread +
    basket.jam * prices.jam +
    basket.soap * prices.soap +
    basket.paper * prices.paper +
    basket.candle * prices.candle
  );
}

function total(basket) {
  const sum = subtotal(basket);
  return sum > 2000 ? sum - basket.voucher : sum;
}

function priced(baskets) {
  let sum = 0;
  for (const basket of baskets) {
    sum += total(basket);
  }
  return sum;
}

function dearest(baskets) { //-OTHER
  let best = baskets[0]; //-OTHER
  for (const basket of baskets) { //-OTHER
    if (subtotal(basket) > subtotal(best)) best = basket; //-OTHER
  } //-OTHER
  return best.number; //-OTHER
} //-OTHER

function main() {
  const baskets = [];
  for (let number = 0; number < 3000; number++) {
    const basket = opened(number);
    shop(basket);
    baskets.push(basket);
  }
  let sum = 0;
  for (let day = 0; day < 450; day++) {
    baskets[day % baskets.length].tea += 1;
    sum += priced(baskets) + dearest(baskets); //-OTHER
    sum += priced(baskets) + mostValuable(baskets); //OTHER
  }
  console.log(baskets.length, "baskets", sum);
}

main();
