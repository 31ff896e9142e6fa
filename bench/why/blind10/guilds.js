// Guilds: rules of many guilds, each in a module of its own, are asked once.
const guilds = 400;
let sum = 0;
for (let i = 0; i < guilds; i++) sum += require(`./rules/${i}.js`).fee(i); //APART
const rules = require("./rules.js"); //-APART
for (let i = 0; i < guilds; i++) sum += rules[i].fee(i); //-APART
console.log(sum);
