// What pages cost, and what of it is theirs beside the operations that they ask (as Server-Timing tells): medians of many
// requests in one run, one after the other over one connection, and the slowest in a hundred. Every page that a link leads
// to, one of each kind, as a manager and as a client. DEMO names the demo's file. Fails where a page takes more than
// a millisecond beside its operations, or one in a hundred takes more than 25.
import { Agent, request } from "node:http";
import { readFileSync } from "node:fs";

const demo = JSON.parse(readFileSync(process.env.DEMO, "utf8"));
const base = new URL(demo.baseUrl);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const rounds = Number(process.env.ROUNDS ?? 200);
const [BESIDE, WORST] = [1, 25];

function ask(path, { method = "GET", headers = {}, body } = {}) {
  return new Promise((done, failed) => {
    const began = process.hrtime.bigint();
    const sent = request({ host: base.hostname, port: base.port, path, method, agent, headers }, (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("end", () => done({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString(),
        ms: Number(process.hrtime.bigint() - began) / 1e6 }));
    });
    sent.on("error", failed);
    sent.end(body);
  });
}

async function signIn(who) {
  const fields = new URLSearchParams({ email: who.email, password: who.password, then: "" });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const entered = await ask("/sign-in", { method: "POST", headers, body: fields.toString() });
  return entered.headers["set-cookie"].find((set) => /^(__Host-)?spotter=/.test(set)).split(";")[0];
}

const share = (all, part) => [...all].sort((one, other) => one - other)[Math.min(all.length - 1, Math.floor(all.length * part))];
const told = (answer, name) => Number(new RegExp(`${name};dur=([0-9.]+)`).exec(answer.headers["server-timing"] ?? "")?.[1]);

async function timed(path, cookie) {
  const [whole, asked, own] = [[], [], []];
  for (let round = 0; round < rounds + 20; round += 1) {
    const answer = await ask(path, { headers: { cookie } });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    if (round < 20) continue;
    whole.push(answer.ms);
    asked.push(told(answer, "operations"));
    own.push(told(answer, "page"));
  }
  return { median: share(whole, 0.5), worst: share(whole, 0.99), asked: share(asked, 0.5), own: share(own, 0.5) };
}

const kind = (path) => path.split(/[?#]/)[0].replace(/[0-9a-f]{24}/g, "…").replace(/\d{4}-\d{2}-\d{2}/g, "…");

async function crawl(from, cookie) {
  const found = new Map();
  const waiting = [from];
  while (waiting.length) {
    const path = waiting.pop();
    if (found.has(kind(path))) continue;
    const answer = await ask(path, { headers: { cookie } });
    if (answer.status !== 200) continue;
    found.set(kind(path), path);
    for (const [, link] of answer.text.matchAll(/ href="(\/(?:console|my)(?:[/?][^"]*)?)"/g)) {
      const to = link.replaceAll("&amp;", "&");
      if (!/^\/console\/(a|files)\//.test(to)) waiting.push(to);
    }
  }
  return [...found].sort();
}

let failed = 0;
function say(name, { median, worst, asked, own }) {
  const over = [own > BESIDE && "beside", worst > WORST && "p99"].filter(Boolean).join(" and ");
  if (over) failed += 1;
  const ms = (number) => number.toFixed(2).padStart(7);
  console.log(`${name.padEnd(58)} ${ms(median)} p99 ${ms(worst)} operations ${ms(asked)} page ${ms(own)}${over ? `  OVER: ${over}` : ""}`);
}

for (const [who, from] of [[demo.manager, "/console"], [demo.client, "/my"]]) {
  const cookie = await signIn(who);
  const pages = await crawl(from, cookie);
  if (from === "/console") {
    for (const path of ["/console/clients?search=an", "/console/clients?search=gmail", "/console/clients?memberStatus=active", "/console/clients?relationshipStatus=pending", "/console/clients?page=3000", "/console/find?q=an"]) pages.push([path, path]);
  }
  for (const [name, path] of pages) say(name, await timed(path, cookie));
}
console.log(failed ? `${failed} over the budget` : "all within the budget");
process.exit(failed ? 1 : 0);
