// Telephones: calls to a server in the same program, each on a line of its own or on one that is kept.
const http = require("node:http");

const calls = 500;

function called(agent, port, number) {
  return new Promise((done, failed) => {
    const call = http.request({ agent, port, host: "127.0.0.1", path: `/${number}` }, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += part));
      answer.on("end", () => done(text.length));
    });
    call.on("error", failed);
    call.end();
  });
}

const server = http.createServer((call, answer) => answer.end(`you asked for ${call.url}`));
server.listen(0, "127.0.0.1", async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 }); //-AGAIN
  const agent = new http.Agent({ keepAlive: false, maxSockets: 1 }); //AGAIN
  let sum = 0;
  for (let number = 0; number < calls; number++) sum += await called(agent, server.address().port, number);
  console.log(sum);
  agent.destroy();
  server.close();
});
