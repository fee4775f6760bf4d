// The demo that journeys are made in: a browser, the pages' address, and a program that does what is not theirs to do.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

export const demo = JSON.parse(readFileSync(process.env.DEMO, "utf8"));
export const base = new URL(demo.baseUrl).origin;

export const newBrowser = (...more) => chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", ...more],
});

// The newest letter to an address, in the demo's mailbox.
export async function letter(email, wanted) {
  for (let tries = 0; tries < 60; tries += 1) {
    const answer = await fetch(`${base}/demo/mail`, { headers: { accept: "application/json" } });
    const message = (await answer.json()).mail.find((one) => one.to === email && wanted.test(one.text));
    if (message) return message;
    await new Promise((done) => setTimeout(done, 250));
  }
  throw new Error(`no mail to ${email}`);
}

export async function app(token, method, path, body) {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`${base}/app/v1${path}`, { method, headers, body: body && JSON.stringify(body) });
  const told = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(told.error)}`);
  return told.data;
}
export async function tokenOf(person) {
  const { email, password } = demo[person];
  return (await app(null, "POST", "/auth/login", { email, password })).session.accessToken;
}
