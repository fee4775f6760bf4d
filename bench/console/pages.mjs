// Every page × person × width × colours, looked at by a browser and by axe: no serious or critical finding, nothing on the
// console, nothing wider than the screen, no answer of 500 or more, no style attribute, no way that leads nowhere.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";

const demo = JSON.parse(readFileSync(process.env.DEMO, "utf8"));
const base = new URL(demo.baseUrl).origin;
const shots = process.env.SHOTS ?? "";
const only = process.env.ONLY ? new RegExp(process.env.ONLY) : null;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const wrong = [];
const said = (person, where, what) => wrong.push(`${person} ${where}: ${what}`);

// Ids in addresses stand for any: one page of each kind is looked at.
const kind = (path) => path.replace(/[0-9a-f]{24}/g, "{id}").replace(/\?.*/, "");

async function signIn(context, who) {
  const page = await context.newPage();
  await page.goto(`${base}/sign-in`);
  await page.fill("#email", who.email);
  await page.fill("#password", who.password);
  await page.click("button[type=submit]");
  await page.waitForURL(/\/(console|my)/);
  return page;
}

// The pictures of the README.
const PICTURED = [
  { person: "manager", path: "/console", width: 1280, file: "today" },
  { person: "manager", path: "/console/calendar", width: 1280, file: "calendar" },
  { person: "client", path: "/my", width: 390, file: "client" },
  { person: "stranger", path: "/", width: 1280, file: "site" },
  { person: "stranger", path: "/timetable", width: 390, file: "timetable" },
];

// The style guide is compared with how it was: tokens and parts change on purpose alone. With PICTURES the new one is kept.
const GUIDE = new URL("./style-guide/", import.meta.url);
const DIFFERENT_MAX = 0.005;
async function compared(page, width, colorScheme, where) {
  const file = new URL(`${width}-${colorScheme}.png`, GUIDE);
  const now = await page.screenshot({ fullPage: true });
  if (process.env.PICTURES || !existsSync(file)) {
    mkdirSync(GUIDE, { recursive: true });
    writeFileSync(file, now);
    return;
  }
  const [one, other] = [PNG.sync.read(readFileSync(file)), PNG.sync.read(now)];
  if (one.width !== other.width || one.height !== other.height) {
    said("manager", where, `the style guide has another size: ${other.width} x ${other.height}, was ${one.width} x ${one.height}`);
    return;
  }
  const different = pixelmatch(one.data, other.data, null, one.width, one.height, { threshold: 0.2 });
  const share = different / (one.width * one.height);
  if (share > DIFFERENT_MAX) said("manager", where, `the style guide looks different: ${(share * 100).toFixed(1)} % of its points`);
}

let pages = 0;
async function views(person, name, path, cookies) {
  for (const width of [1280, 390]) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport: { width, height: width === 390 ? 844 : 900 }, colorScheme, bypassCSP: false });
      await context.addCookies(cookies);
      const page = await context.newPage();
      const where = `${path} ${width} ${colorScheme}`;
      page.on("console", (message) => said(person, where, `console: ${message.text()}`));
      page.on("pageerror", (error) => said(person, where, `script: ${error}`));
      const response = await page.goto(base + path);
      if (response.status() >= 400) said(person, where, `status ${response.status()}`);
      pages += 1;
      const sideways = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (sideways > 0) said(person, where, `${sideways} px wider than the screen`);
      const headings = await page.$$eval("h1", (all) => all.length);
      if (headings !== 1) said(person, where, `${headings} first headings`);
      const styled = await page.$$eval("[style], [onclick], [data-hx-on]", (all) => all.length);
      if (styled > 0) said(person, where, `${styled} style or script attributes`);
      const results = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] })`);
      for (const finding of results.violations.filter((one) => ["serious", "critical"].includes(one.impact))) {
        said(person, where, `axe ${finding.impact} ${finding.id}: ${finding.nodes.slice(0, 2).map((node) => node.html.slice(0, 160)).join(" | ")}`);
      }
      const pictured = process.env.PICTURES && PICTURED.find((one) => one.person === person && one.path === name && one.width === width);
      if (pictured && colorScheme === "light") await page.screenshot({ path: `${process.env.PICTURES}/${pictured.file}.png` });
      if (name === "/console/style-guide") await compared(page, width, colorScheme, where);
      if (shots) {
        mkdirSync(shots, { recursive: true });
        const file = `${person}${name.replaceAll("/", "_").replaceAll("{id}", "id")}_${width}_${colorScheme}.png`;
        await page.screenshot({ path: `${shots}/${file}`, });
      }
      await context.close();
    }
  }
}
for (const person of ["manager", "coach", "client"]) {
  const first = await browser.newContext({ viewport: { width: 1280, height: 900 }, bypassCSP: true });
  const page = await signIn(first, demo[person]);
  const cookies = await first.cookies();
  const found = new Map();
  const queue = [new URL(page.url()).pathname];
  while (queue.length > 0) {
    const path = queue.shift();
    if (found.has(kind(path)) || /^\/(mcp|docs|forgot|public|files|pay|g|embed|console\/files)\b/.test(path)) continue;
    found.set(kind(path), path);
    const response = await page.goto(base + path);
    if (response.status() >= 400) said(person, path, `status ${response.status()}`);
    for (const link of await page.$$eval("a[href]", (all) => all.map((one) => one.href))) {
      const url = new URL(link);
      if (url.origin === base) queue.push(url.pathname);
    }
  }
  await first.close();
  if (person === "manager") found.set("/console/style-guide", "/console/style-guide");
  for (const [name, path] of found) {
    if (only && !only.test(name)) continue;
    await views(person, name, path, cookies);
  }
  console.log(`${person}: ${found.size} pages`);
}
// What strangers find by following links from the first page, in each language.
{
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, bypassCSP: true });
  const page = await context.newPage();
  const found = new Map();
  const queue = ["/", "/embed/timetable", "/embed/contact"];
  while (queue.length > 0) {
    const path = queue.shift();
    if (found.has(kind(path)) || /^\/(my|console|sign-in|docs|site-pictures)/.test(path)) continue;
    found.set(kind(path), path);
    const response = await page.goto(base + path);
    if (response.status() >= 400) said("stranger", path, `status ${response.status()}`);
    if ((await context.cookies()).length > 0) said("stranger", path, "a cookie is set");
    for (const link of await page.$$eval("a[href]", (all) => all.map((one) => one.href))) {
      const url = new URL(link);
      if (url.origin === base) queue.push(url.pathname);
    }
  }
  await context.close();
  for (const [name, path] of found) {
    if (only && !only.test(name)) continue;
    await views("stranger", name, path, []);
    for (const language of ["nl", "de"]) await views(`stranger-${language}`, name, `${path}?lang=${language}`, []);
  }
  console.log(`stranger: ${found.size} pages`);
}
// Pages for whoever is not signed in, and the operator's.
const visitor = await browser.newContext();
const door = await visitor.newPage();
await door.goto(process.env.OPERATOR);
await door.click("button[type=submit]");
const cookies = await visitor.cookies();
for (const path of ["/sign-in", "/forgot-password", "/operator"]) await views(path === "/operator" ? "operator" : "visitor", path, path, cookies);
await browser.close();
console.log(`${pages} views, ${wrong.length} findings`);
for (const line of [...new Set(wrong)]) console.log(line);
process.exit(wrong.length > 0 ? 1 : 0);
