// What pages cost beside the operations that they ask: medians of many requests in one run, one after the other over one
// connection, and the slowest in a hundred. DEMO names the demo's file; SPEED_CLIENTS says how large it was made.
import { Agent, request } from "node:http";
import { readFileSync } from "node:fs";

const demo = JSON.parse(readFileSync(process.env.DEMO, "utf8"));
const base = new URL(demo.baseUrl);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const rounds = Number(process.env.ROUNDS ?? 300);

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

const form = { "content-type": "application/x-www-form-urlencoded" };
const who = demo.manager;
const entered = await ask("/sign-in", { method: "POST", headers: form, body: new URLSearchParams({ email: who.email, password: who.password, then: "" }).toString() });
const cookie = entered.headers["set-cookie"][0].split(";")[0];
const login = await ask("/app/v1/auth/login", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ email: who.email, password: who.password }) });
const token = JSON.parse(login.text).data.session.accessToken;

const percentile = (all, share) => [...all].sort((one, other) => one - other)[Math.min(all.length - 1, Math.floor(all.length * share))];
async function timed(path, headers) {
  const all = [];
  for (let round = 0; round < rounds + 20; round += 1) {
    const answer = await ask(path, { headers });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    if (round >= 20) all.push(answer.ms);
  }
  return { median: percentile(all, 0.5), worst: percentile(all, 0.99) };
}

const client = demo.client.clientId;
const PAGES = {
  "/console/clients": ["/clients?limit=50&archived=false", "/coaches?limit=100", "/clients/tags?limit=100"],
  "/console/clients?search=an": ["/clients?limit=50&archived=false&search=an", "/coaches?limit=100", "/clients/tags?limit=100"],
  "/console/clients?page=3000": ["/clients?limit=50&archived=false&page=3000", "/coaches?limit=100", "/clients/tags?limit=100"],
  [`/console/clients/${client}/timeline`]: [`/clients/${client}`, `/clients/${client}/timeline?limit=50`],
  "/console/money": ["/finance/invoices?limit=50"],
  "/console/audit": ["/audit-logs?limit=50"],
  "/console": [],
  "/console/calendar": [],
  "/console/find?q=an": [],
};
// What a request costs that asks nothing of the database to speak of.
const nothing = await timed("/app/v1/auth/second-step", { authorization: `Bearer ${token}` });
for (const [page, operations] of Object.entries(PAGES)) {
  let there;
  try { there = await timed(page, { cookie }); } catch (error) { console.log(String(error).slice(0, 160)); continue; }
  let sum = 0;
  for (const operation of operations) sum += (await timed(`/app/v1${operation}`, { authorization: `Bearer ${token}` })).median - nothing.median;
  const beside = operations.length ? `, its operations ${(sum + nothing.median).toFixed(2)} ms` : "";
  console.log(`${page.replace(client, "…")}: ${there.median.toFixed(2)} ms, p99 ${there.worst.toFixed(2)} ms${beside}`);
}
process.exit(0);
