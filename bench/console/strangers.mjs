// The front door: a stranger becomes a member and books, with script and without, in three languages; a member buys for a class;
// parts of the site are shown by a page of another origin, without third-party cookies.
import { createServer } from "node:http";
import { app, base, letter, newBrowser, tokenOf } from "./demo.mjs";

const only = process.env.JOURNEY ? new RegExp(process.env.JOURNEY) : null;
const browser = await newBrowser("--test-third-party-cookie-phaseout");
let failed = 0;

// A class with free seats that newcomers can book.
async function freeClass() {
  const from = new Date(Date.now() + 26 * 3600e3).toISOString();
  const to = new Date(Date.now() + 28 * 86400e3).toISOString();
  const { classes } = await app(null, "GET", `/site/riverside/classes?from=${from}&to=${to}`);
  const found = classes.filter((one) => one.bookable && one.capacityLeft > 0);
  if (found.length === 0) throw new Error("no class has free seats");
  return found[Math.floor(Math.random() * found.length)];
}

// A class of tomorrow or the days after that takes a credit.
async function newClass() {
  const token = await tokenOf("manager");
  const { coaches } = await app(token, "GET", "/coaches?limit=50&status=active");
  const kind = { name: `Circuit ${Date.now()}`, kind: "class", durationMinutes: 30, capacity: 5, credits: 1, clientsMayBook: true };
  const { eventTypeId } = (await app(token, "POST", "/event-types", kind)).eventType;
  for (let hours = 26; ; hours += 1) {
    const startsAt = new Date((Math.ceil(Date.now() / 3600e3) + hours) * 3600e3).toISOString();
    const event = { eventTypeId, coachId: coaches[hours % coaches.length].coachId, startsAt };
    try {
      return (await app(token, "POST", "/calendar/events", event)).calendarEvent;
    } catch (error) {
      // At some hour a coach is free.
      if (hours > 60) throw error;
    }
  }
}

let number = 0;
const newAddress = () => `newcomer${Date.now()}${number++}@example.com`;

async function joins(page, start, email) {
  await page.goto(`${base}${start}`);
  await page.fill("#firstName", "Nia");
  await page.fill("#lastName", "Bos");
  await page.fill("#email", email);
  await page.click("main form button[type=submit]");
  await page.waitForURL(/\/join\/[0-9a-f]{24}/);
  const message = await letter(email, /\b\d{6}\b/);
  return /\b(\d{6})\b/.exec(message.text)[1];
}

const journeys = {
  async "a stranger finds a class, signs up and comes back to it"(options, language) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: language, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(10000);
    await page.goto(base);
    if ((await page.getAttribute("html", "lang")) !== language) throw new Error("another language");
    await page.goto(`${base}/timetable`);
    const own = await freeClass();
    await page.goto(`${base}/classes/${own.calendarEventId}`);
    await page.locator('main a.button[href*="/join?class="]').click();
    const email = newAddress();
    const code = await joins(page, `/join?class=${own.calendarEventId}`, email);
    await page.fill("#code", "000000");
    await page.click("main form button[type=submit]");
    await page.locator("#code-wrong:not(:empty)").waitFor();
    await page.fill("#code", code);
    await page.click("main form button[type=submit]");
    await page.waitForURL(/set-password/);
    await page.fill("#password", "a password of theirs");
    await page.click("main form button[type=submit]");
    await page.waitForURL(new RegExp(`/my/classes/${own.calendarEventId}`));
    const taken = (await app(null, "GET", `/site/riverside/classes/${own.calendarEventId}`)).class;
    if (taken.capacityLeft !== own.capacityLeft - 1) throw new Error(`no seat is held: ${taken.capacityLeft} of ${own.capacityLeft}`);
    await context.close();
  },
  async "a member buys what a class needs, and is booked"(options) {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: "en", ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(10000);
    const own = await newClass();
    const code = await joins(page, `/join?class=${own.calendarEventId}`, newAddress());
    await page.fill("#code", code);
    await page.click("main form button[type=submit]");
    await page.fill("#password", "a password of theirs");
    await page.click("main form button[type=submit]");
    await page.waitForURL(/\/my\/classes\//);
    await page.locator('main a[href*="/my/shop/"]').first().click();
    await page.waitForURL(/\/my\/shop\/[0-9a-f]{24}/);
    await page.selectOption("select[name=paymentChoice]", "desk");
    await page.locator('form:has(input[value="create_shop_order"]) button[type=submit]').first().click();
    await page.waitForURL(/\/my\/orders\//);
    await page.goto(`${base}/my/bookings`);
    await page.locator(`main :text("${own.name}")`).first().waitFor();
    await context.close();
  },
  async "a message reaches the gym once its address is confirmed"(options) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en", ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(10000);
    const email = newAddress();
    await page.goto(`${base}/contact`);
    await page.fill("#firstName", "Leo");
    await page.fill("#email", email);
    await page.fill("#message", "Do you have parking?");
    await page.click("main form button[type=submit]");
    await page.waitForURL(/\/join\//);
    const message = await letter(email, /\b\d{6}\b/);
    // The link of the letter brings the code, and confirms nothing by itself.
    const link = /http\S+\/join\/\S+/.exec(message.text)[0];
    await page.goto(`${base}${new URL(link).pathname}${new URL(link).search}`);
    await page.click("main form button[type=submit]");
    await page.waitForURL(/sent=answer/);
    const token = await tokenOf("manager");
    const { clients } = await app(token, "GET", `/clients?search=${email}`);
    if (clients.length !== 1) throw new Error("no lead");
    await context.close();
  },
  async "a page of another origin shows the timetable"(options) {
    if (options.javaScriptEnabled === false) return;
    const host = createServer((_, answer) => {
      answer.setHeader("content-type", "text/html");
      answer.end(`<!doctype html><title>Elsewhere</title><div data-spotter="${base}/embed/timetable"></div>
        <iframe id="refused" src="${base}/timetable"></iframe><script src="${base}/embed.js"></script>`);
    });
    await new Promise((done) => host.listen(0, "127.0.0.1", done));
    // Another host than the gym's is another site.
    const origin = `http://localhost:${host.address().port}`;
    const token = await tokenOf("manager");
    await app(token, "PATCH", "/company/site", { embedOrigins: [origin] });
    await new Promise((done) => setTimeout(done, 6000));
    const context = await browser.newContext({ viewport: { width: 900, height: 700 } });
    const page = await context.newPage();
    const refused = [];
    page.on("console", (message) => refused.push(message.text()));
    await page.goto(origin);
    const frame = page.frameLocator("[data-spotter] iframe");
    await frame.locator("main").waitFor();
    await page.waitForFunction(() => parseInt(document.querySelector("[data-spotter] iframe").style.height, 10) !== 480);
    if ((await context.cookies()).length > 0) throw new Error("a cookie was set");
    if (!refused.some((text) => /frame/i.test(text))) throw new Error("other pages can be framed");
    await app(token, "PATCH", "/company/site", { embedOrigins: [] });
    host.close();
    await context.close();
  },
};

for (const [name, journey] of Object.entries(journeys)) {
  if (only && !only.test(name)) continue;
  for (const javaScriptEnabled of [true, false]) {
    for (const language of name.startsWith("a stranger") ? ["en", "nl", "de"] : ["en"]) {
      try {
        await journey({ javaScriptEnabled }, language);
        console.log(`ok: ${name}, ${javaScriptEnabled ? "with" : "without"} script, ${language}`);
      } catch (error) {
        failed += 1;
        console.log(`FAILED: ${name}, ${javaScriptEnabled ? "with" : "without"} script, ${language}: ${error}`);
      }
    }
  }
}
await browser.close();
process.exit(failed > 0 ? 1 : 0);
