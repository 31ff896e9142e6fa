// An archive: many small files are read, one after the other.
const fs = require("node:fs");
const path = require("node:path");

async function read(folder) {
  let sum = 0;
  for (let i = 0; i < 1200; i++) {
    const text = await fs.promises.readFile(path.join(folder, String(i % 60))); //PROMISED
    const text = fs.readFileSync(path.join(folder, String(i % 60))); //-PROMISED
    sum += text.length + text[i % text.length];
  }
  return sum;
}

const folder = path.join(__dirname, "papers");
fs.mkdirSync(folder, { recursive: true });
for (let i = 0; i < 60; i++) fs.writeFileSync(path.join(folder, String(i)), `paper ${i}\n`.repeat(40));
read(folder).then((sum) => console.log(sum));
