// What people come for, from beginning to end, each with script and without; then what pages weigh.
import { createHmac } from "node:crypto";
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

// What an authenticator shows so many intervals from now (RFC 6238).
function totp(secret, intervals) {
  const bits = [...secret.replace(/=+$/, "")].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000) + intervals));
  const mac = createHmac("sha1", key).update(counter).digest();
  const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
  return String(number % 1000000).padStart(6, "0");
}

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
    await page.locator("main form.filters button").click();
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
    // With script, what is chosen is asked for at once.
    if (!options.javaScriptEnabled) await page.locator("main form.filters button").click();
    const nearest = page.locator('a:has-text("Next free")');
    const times = page.locator(".times form").first();
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
    // With script, what is chosen is asked for at once.
    if (!options.javaScriptEnabled) await page.locator("main form.filters button").click();
    const nearest = page.locator('a:has-text("Next free")');
    await nearest.or(page.locator(".times form")).first().waitFor();
    if (await nearest.count()) await nearest.click();
    await page.locator(".times form").first().locator("button").click();
    await shows(page, "Booked.");
    await page.goto(`${base}/my/training`);
    const begin = form(page, "begin_workout_session").locator("button").or(page.locator('a.button:has-text("Go on")')).first();
    if (await begin.count()) {
      await begin.click();
      for (;;) {
        const screen = page.locator("[data-screen]:not([hidden])");
        await screen.waitFor();
        const [at, all] = (await screen.locator("p.quiet").first().textContent()).split("/").map(Number);
        // Halfway there is no connection; what was done is sent once there is one.
        // A set that is ticked is saved at once.
        if (options.javaScriptEnabled && at === 1) {
          const saved = page.waitForResponse((answer) => answer.request().method() === "POST");
          await screen.locator("input[type=checkbox]").first().check();
          await saved;
        }
        const away = options.javaScriptEnabled && at === 2;
        if (away) await page.context().setOffline(true);
        await send(page, "set_workout_session_sets");
        if (!options.javaScriptEnabled) await shows(page, "Saved.");
        if (away) {
          await page.locator("#kept:not([hidden])").waitFor();
          await page.context().setOffline(false);
          await page.locator("#kept").waitFor({ state: "hidden" });
        }
        if (options.javaScriptEnabled) await page.locator("#rest:not([hidden])").waitFor();
        if (at >= all) break;
        await page.locator(`[data-screen]:not([hidden]) p.quiet:text("${at + 1} / ${all}")`).waitFor();
      }
      await send(page, "complete_workout_session");
      await shows(page, "Well done!");
    }
  },
  async "a second step is added, asked for and taken away"(options) {
    const page = await signedIn("coach", options);
    await page.goto(`${base}/console/account/second-step`);
    await send(page, "begin_second_step");
    const secret = (await page.locator("#authenticator-secret").textContent()).trim();
    await form(page, "enable_second_step").locator("[name=code]").fill(totp(secret, -1));
    await send(page, "enable_second_step");
    await shows(page, "Recovery codes");
    const codes = (await page.locator("#recovery-codes").innerText()).trim().split("\n");
    if (codes.length !== 10) throw new Error(`${codes.length} recovery codes`);
    const again = await (await browser.newContext(options)).newPage();
    await again.goto(`${base}/sign-in`);
    await again.fill("#email", demo.coach.email);
    await again.fill("#password", demo.coach.password);
    await again.click("button[type=submit]");
    await again.fill("#code", totp(secret, 0));
    await again.click("button[type=submit]");
    await again.waitForURL(/console/);
    await again.goto(`${base}/console/account/second-step`);
    await open(again, "Switch off");
    await send(again, "delete_second_step");
    await shows(again, "It is switched off.");
  },
  async "a file of clients is imported and undone"(options) {
    const page = await signedIn("manager", options);
    await page.goto(`${base}/console/imports`);
    await page.selectOption("select[name=kind]", "clients");
    const rows = Array.from({ length: 30 }, (_, at) => `P${at};p${at}-${Date.now()}@example.com;1-${(at % 12) + 1}-1990`);
    const buffer = Buffer.from(`Voornaam;E-mail;Geboortedatum\n${rows.join("\n")}\n;x;\n`);
    await page.setInputFiles("[name=text]", { name: "leden.csv", mimeType: "text/csv", buffer });
    await send(page, "create_import");
    const ready = async (locator) => {
      for (let tries = 0; tries < 40 && !(await locator.count()); tries += 1) {
        await page.waitForTimeout(300);
        if (!options.javaScriptEnabled) await page.reload();
      }
      await locator.first().waitFor();
    };
    await ready(form(page, "start_import"));
    await send(page, "start_import");
    await ready(page.locator('summary:has-text("Undo import")'));
    await open(page, "Undo import");
    await send(page, "undo_import");
    await ready(page.locator('.state:has-text("Undone")'));
  },
  async "a form is written and published"(options) {
    const page = await signedIn("manager", options);
    await page.goto(`${base}/console/forms`);
    await open(page, "Add form");
    await form(page, "create_form").locator("[name=name]").fill(`Form ${Date.now()}`);
    await form(page, "create_form").locator("[name=kind]").selectOption("general");
    await send(page, "create_form");
    const added = page.locator("form[id$=new]");
    for (const [type, label] of [["text", "Why are you here?"], ["single_choice", "How often?"]]) {
      await added.locator('[name="question.type"]').selectOption(type);
      await added.locator('[name="question.label"]').fill(label);
      if (type !== "text") await added.locator('[name="question.options"]').fill("Once\nTwice");
      await added.locator("button[type=submit]").click();
      await shows(page, label);
    }
    await send(page, "publish_form");
    await shows(page, "Published.");
  },
  async "anything is found"(options) {
    const page = await signedIn("manager", { ...options, viewport: { width: 1280, height: 900 } });
    if (options.javaScriptEnabled) await page.keyboard.press("/");
    await page.locator(".find input").fill("tim");
    await page.locator(".find input").press("Enter");
    await page.waitForURL(/find/);
    await page.locator("main ul.rows a").first().click();
    await page.waitForURL(/console\/(products|clients|settings)/);
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
