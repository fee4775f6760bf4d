// What people come for, from beginning to end, each with script and without; then what pages weigh.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const demo = JSON.parse(readFileSync(process.env.DEMO, "utf8"));
const base = new URL(demo.baseUrl).origin;
const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
let failed = 0;

async function signedIn(person, options = {}) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10000);
  await page.goto(`${base}/sign-in`);
  await page.fill("#email", demo[person].email);
  await page.fill("#password", demo[person].password);
  await page.click("button[type=submit]");
  await page.waitForURL(/\/(console|my)/);
  return page;
}

const form = (page, operation) => page.locator(`form:has(input[name="-do"][value="${operation}"])`).first();
const send = (page, operation) => form(page, operation).locator("button[type=submit]").click();
const open = async (page, word) => page.locator(`summary:has-text("${word}")`).first().click();
const shows = (page, text) => page.locator(`main :text("${text}")`).first().waitFor();

const journeys = {
  async "a client is added, sold a membership, and pays"(options) {
    const page = await signedIn("manager", options);
    await page.goto(`${base}/console/clients/new`);
    const name = `Ann${Date.now()}`;
    await page.fill("[name=firstName]", name);
    await page.fill("[name=lastName]", "Journey");
    await send(page, "create_client");
    await shows(page, "Added.");
    await page.click('a:has-text("Sell")');
    await page.selectOption("select[name=productId]", { index: 3 });
    await page.locator("form.filters button").click();
    const act = (await form(page, "assign_membership").count()) ? "assign_membership" : "assign_product";
    await send(page, act);
    await shows(page, "Sold.");
    await page.locator('td a[href^="/console/money/invoices/"]').first().click();
    await open(page, "Take a payment");
    await form(page, "record_payment").locator("select[name=kind]").selectOption("cash");
    await send(page, "record_payment");
    await shows(page, "Paid");
  },
  async "somebody is booked, checked in and called off"(options) {
    const page = await signedIn("manager", options);
    await page.goto(`${base}/console/calendar/book?clientId=${demo.client.clientId}`);
    await page.selectOption("select[name=eventTypeId]", { label: "Personal training · 60 min" });
    await page.locator("form.filters button").click();
    const nearest = page.locator('a:has-text("Next free")');
    const times = form(page, "create_booking");
    await nearest.or(times).first().waitFor();
    if (await nearest.count()) await nearest.click();
    await times.waitFor();
    await times.locator("button").click();
    await shows(page, "Booked.");
    await open(page, "Cancel");
    await form(page, "cancel_booking").locator("button[type=submit]").click();
    await shows(page, "Cancelled.");
  },
  async "a client books, and trains"(options) {
    const page = await signedIn("client", options);
    await page.click('nav.bottom a:has-text("Book")');
    await page.selectOption("select[name=eventTypeId]", { label: "Personal training · 60 min" });
    await page.locator("form.filters button").click();
    const nearest = page.locator('a:has-text("Next free")');
    await nearest.or(form(page, "create_booking")).first().waitFor();
    if (await nearest.count()) await nearest.click();
    await form(page, "create_booking").locator("button").click();
    await shows(page, "Booked.");
    await page.goto(`${base}/my/training`);
    const begin = form(page, "begin_workout_session").locator("button").or(page.locator('a.button:has-text("Go on")')).first();
    if (await begin.count()) {
      await begin.click();
      for (;;) {
        await page.locator("legend").first().waitFor();
        const place = await page.locator("section.card p.quiet").first().textContent();
        const [at, all] = place.split("/").map(Number);
        await send(page, "set_workout_session_sets");
        await shows(page, "Saved.");
        if (at >= all) break;
        await page.locator(`p.quiet:text("${at + 1} / ${all}")`).waitFor();
      }
      await send(page, "complete_workout_session");
      await shows(page, "Well done!");
    }
  },
  async "a webhook fails, and is sent again"(options) {
    const page = await signedIn("manager", options);
    await page.goto(`${base}/console/webhooks`);
    await open(page, "Add webhook");
    const made = form(page, "create_webhook");
    await made.locator("[name=name]").fill("Nowhere");
    await made.locator("[name=url]").fill("https://nowhere.invalid/hook");
    await made.locator('input[value="client.created"]').check();
    await made.locator("button[type=submit]").click();
    // An address that leads nowhere is refused, with what was typed kept.
    await shows(page, "Please look at this");
    if ((await form(page, "create_webhook").locator("[name=name]").inputValue()) !== "Nowhere") throw new Error("lost what was typed");
  },
};

for (const [name, journey] of Object.entries(journeys)) {
  for (const javaScriptEnabled of [true, false]) {
    const began = Date.now();
    const how = javaScriptEnabled ? "with script" : "without";
    try {
      await journey({ javaScriptEnabled });
      console.log(`${name}, ${how}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}, ${how}: ${String(error).slice(0, 600)}`);
    }
  }
}

// What is said is seen by whoever has the page open, within a second.
try {
  const client = await signedIn("client");
  await client.goto(`${base}/my/messages`);
  await client.locator('#conversations a:has-text("Tim")').first().click();
  await client.waitForURL(/messages\/[0-9a-f]{24}/);
  const thread = client.url().split("/").pop();
  const coach = await signedIn("coach");
  await coach.goto(`${base}/console/messages/${thread}`);
  await coach.waitForTimeout(1500);
  const text = `Live ${Date.now()}`;
  await client.locator("textarea[name=text]").fill(text);
  const began = Date.now();
  await send(client, "send_message");
  await coach.locator(`.talk :text("${text}")`).waitFor({ timeout: 5000 });
  console.log(`a message is seen after ${Date.now() - began} ms`);
} catch (error) {
  failed += 1;
  console.log(`FAILED live: ${String(error).slice(0, 400)}`);
}

// What a first and a later view weigh, as sent.
const page = await signedIn("manager", { viewport: { width: 1280, height: 900 } });
const session = await page.context().newCDPSession(page);
await session.send("Network.enable");
let bytes = 0;
let requests = 0;
session.on("Network.loadingFinished", (event) => { bytes += event.encodedDataLength; requests += 1; });
for (const [path, cold] of [["/console", true], ["/console/clients", false], ["/console/calendar", false], ["/console/money", false]]) {
  await session.send("Network.setCacheDisabled", { cacheDisabled: cold });
  bytes = 0;
  requests = 0;
  const timing = Date.now();
  await page.goto(base + path);
  await page.waitForTimeout(300);
  const limit = cold ? 60000 : 15000;
  console.log(`${path} ${cold ? "first" : "later"}: ${(bytes / 1000).toFixed(1)} kB in ${requests} requests, ${Date.now() - timing - 300} ms`);
  if (bytes > limit) { failed += 1; console.log(`FAILED ${path} weighs more than ${limit}`); }
}
await browser.close();
process.exit(failed ? 1 : 0);
