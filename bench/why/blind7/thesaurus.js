'use strict';
// A thesaurus: words are normalised, sorted as people sort them, and grouped by their beginnings.
const BASE = ['amber', 'birch', 'copper', 'dusty', 'eager', 'fresh', 'gentle', 'hollow', 'indigo', 'jolly', 'kettle'];

function words(count) {
  const list = [];
  let seed = 4;
  for (let i = 0; i < count; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const word = BASE[(seed >>> 8) % 11] + BASE[(seed >>> 14) % 11] + (seed >>> 22);
    list.push(seed >>> 30 ? word : '  ' + word + ' ');
  }
  return list;
}

function compared(a, b) {
  return a.localeCompare(b, 'en', { sensitivity: 'base' }); //COLLATE
  return a < b ? -1 : a > b ? 1 : 0; //-COLLATE
}

function groups(list) {
  const byStart = new Map();
  for (const word of list) {
    const start = word.slice(0, 3);
    let group = byStart.get(start);
    if (!group) byStart.set(start, (group = []));
    group.push(word);
  }
  return byStart;
}

function edits(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let k = 1; k <= b.length; k++) {
      const change = a.charCodeAt(i - 1) === b.charCodeAt(k - 1) ? 0 : 1;
      next[k] = Math.min(row[k] + 1, next[k - 1] + 1, row[k - 1] + change);
    }
    row = next;
  }
  return row[b.length];
}

function main() {
  const list = words(5000).map((word) => word.trim().toLowerCase());
  list.sort(compared);
  let near = 0;
  for (let i = 8; i < list.length; i++) {
    for (let k = 1; k < 9; k += 3) if (edits(list[i - k], list[i]) < 4) near++;
  }
  let largest = 0;
  for (const group of groups(list).values()) largest = Math.max(largest, group.length);
  console.log(list[0], list[2500], list[list.length - 1], near, largest);
}

main();
