// Groups events of a website by visitor and by page.
"use strict";

let seed = 9;

function draw(below) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return (seed >>> 8) % below;
}

function recorded(count) {
  const events = [];
  for (let i = 0; i < count; i++) {
    events.push({ visitor: "v" + draw(900), page: "/page/" + draw(60), seconds: draw(300) });
  }
  return events;
}

function bySeconds(events, key) {
  return events.reduce((sums, event) => {
    const name = event[key];
    return { ...sums, [name]: (sums[name] || 0) + event.seconds }; //SPREAD
    sums[name] = (sums[name] || 0) + event.seconds; //-SPREAD
    return sums; //-SPREAD
  }, {});
}

function sessions(events) {
  const open = new Map();
  let closed = 0;
  for (const event of events) {
    const last = open.get(event.visitor);
    if (last && last.seconds > event.seconds) closed++;
    open.set(event.visitor, event);
  }
  return closed + open.size;
}

function ranked(sums, count) {
  return Object.entries(sums)
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, count);
}

function printed(title, rows) {
  console.log(title);
  for (const [name, seconds] of rows) {
    console.log("  " + name.padEnd(12) + String(seconds).padStart(8));
  }
}

function main() {
  const events = recorded(60000);
  let count = 0;
  for (let hour = 0; hour < 36; hour++) {
    count += sessions(events);
  }
  const pages = bySeconds(events, "page");
  printed("pages", ranked(pages, 5));
  const visitors = bySeconds(events.slice(0, 2200), "visitor");
  printed("visitors", ranked(visitors, 5));
  console.log("sessions", count);
}

main();
