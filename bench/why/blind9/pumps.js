// Pumps: some heavy sums are done by workers, and a window of recent measurements is kept.
const { Worker, isMainThread, parentPort } = require("worker_threads");

const jobs = 0; //-JOBS
const jobs = 12; //JOBS
const measured = 200000; //-WINDOW
const measured = 2000000; //WINDOW

function heavy(n) {
  let state = n + 1;
  for (let i = 0; i < 300000; i++) state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state;
}

function measure() {
  const recent = new Array(5000);
  let sum = 0;
  for (let i = 0; i < measured; i++) {
    recent[i % recent.length] = { when: i, what: { level: i % 97, flow: i % 31 } };
    sum += recent[(i * 7) % Math.min(i + 1, recent.length)].what.level;
  }
  return sum;
}

async function main() {
  let sum = 0;
  const one = jobs ? new Worker(__filename) : null; //-EACH
  for (let job = 0; job < jobs; job++) {
    const one = new Worker(__filename); //EACH
    one.postMessage(job);
    sum += await new Promise((done) => one.once("message", done));
    await one.terminate(); //EACH
  }
  if (one) await one.terminate(); //-EACH
  console.log(sum, measure());
}

if (isMainThread) main();
else parentPort.on("message", (n) => parentPort.postMessage(heavy(n)));
