// How many clicks ten jobs of every day take, from Today; typing is free, choosing from a list is one. A job that takes
// more than it did fails.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const demo = JSON.parse(readFileSync(process.env.DEMO, "utf8"));
const base = new URL(demo.baseUrl).origin;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-GB" });
const page = await context.newPage();
page.setDefaultTimeout(10000);
await page.goto(`${base}/sign-in`);
await page.fill("#email", demo.manager.email);
await page.fill("#password", demo.manager.password);
await page.click("button[type=submit]");
await page.waitForURL(/console/);

let clicks = 0;
const click = async (selector) => { clicks += 1; await page.locator(selector).first().click(); };
const choose = async (selector, option) => { clicks += 1; await page.locator(selector).first().selectOption(option); };
const write = (selector, text) => page.locator(selector).first().fill(text);
const sendOf = (operation) => `form:has(input[name="-do"][value="${operation}"]) button[type=submit]`;
const shows = (text) => page.locator(`main :text("${text}")`).first().waitFor();
// The finder of the page, by its key.
const find = async (name) => {
  await page.keyboard.press("/");
  await page.keyboard.type(name);
  clicks += 1;
  await page.keyboard.press("Enter");
  await click(`main a:has-text("${name}")`);
};
const name = `Clicks${Date.now()}`;

// What each takes at most.
const jobs = {
  "add a client": [3, async () => {
    await click('nav a:has-text("Clients")');
    await click('main a:has-text("Add client"), .acts a:has-text("Add client")');
    await write("[name=firstName]", name);
    await click(sendOf("create_client"));
    await shows("Added.");
  }],
  "sell a bottle to a passer-by": [3, async () => {
    await click('main a:has-text("Sell")');
    await click("a.tile");
    await write('form:has([value="cash"]) [name="payment.amountReceived:money"]', "50");
    await click('form:has([value="cash"]) button[type=submit]');
    await shows("Give change");
  }],
  "book a client": [7, async () => {
    await find("Fatima Bos");
    await click('main a.button:has-text("Book")');
    await choose("select[name=eventTypeId]", { label: "Personal training · 60 min" });
    const nearest = page.locator('a:has-text("Next free")');
    await nearest.or(page.locator(".times summary, .times form")).first().waitFor();
    if (await nearest.count()) await click('a:has-text("Next free")');
    await page.locator(".times summary, .times form").first().waitFor();
    if (await page.locator(".times summary").count()) await click(".times summary");
    await click(".times form button");
    await shows("Booked.");
  }],
  "cancel a booking": [5, async () => {
    await find("Fatima Bos");
    await click('main nav a:has-text("Bookings")');
    await click('summary:has-text("Cancel")');
    await click(sendOf("cancel_booking"));
    await shows("Cancelled");
  }],
  "message a client": [4, async () => {
    await find("Fatima Bos");
    await click('main a:has-text("Message"), main button:has-text("Message")');
    await write("textarea[name=text]", "See you tomorrow");
    await click(sendOf("send_message"));
    await shows("See you tomorrow");
  }],
  "write to everybody with a tag": [6, async () => {
    await click('nav a:has-text("Announcements")');
    await click("main details summary");
    const own = "form:has([name='audience.tag'])";
    await choose(`${own} select`, { index: 1 });
    await write(`${own} [name=subject]`, "News");
    await write(`${own} [name=text]`, "We open at seven.");
    await click(`${own} [name="channels.message"]`);
    await click(`${own} button[type=submit]`);
    await shows("a minute from now");
    await click(`${own} button[type=submit]`);
    await shows("Scheduled");
  }],
  "tag two clients": [6, async () => {
    await click('nav a:has-text("Clients")');
    await click("td [name=clientIds] >> nth=0");
    await click("td [name=clientIds] >> nth=1");
    await click('summary:has-text("Change the ticked clients")');
    await write('[name="addTags:list"]', "clicks");
    await click(sendOf("change_clients"));
    await shows("Changed: 2.");
    await click(sendOf("change_clients"));
    await page.locator('td .state:has-text("clicks")').first().waitFor();
  }],
  "call a class off": [5, async () => {
    await click('nav a:has-text("Calendar")');
    await click('main a:has-text("›")');
    await click("a.event.class");
    await click('summary:has-text("Cancel class")');
    await write("form:has(input[value=cancel_calendar_event]) [name=message]", "The hall is flooded.");
    await click(sendOf("cancel_calendar_event"));
    if (await page.locator(".foreseen, .summary").count()) await click(sendOf("cancel_calendar_event"));
    await shows("Cancelled");
  }],
  "record a payment of an invoice": [6, async () => {
    await click('nav a:has-text("Payments")');
    await click(`main a.figure:has-text("Overdue")`);
    await click('td a[href^="/console/money/invoices/"]');
    await click('summary:has-text("Take a payment")');
    await choose("form:has(input[value=record_payment]) select[name=kind]", "cash");
    await click(sendOf("record_payment"));
    await shows("Paid");
  }],
  "answer a booking request": [2, async () => {
    await click('main a:has-text("Booking requests"), main a:has-text("requests")');
    await click(sendOf("approve_booking_request"));
    await shows("Approved");
  }],
};

let failed = 0;
for (const [job, [most, run]] of Object.entries(jobs)) {
  if (process.env.JOB && !job.includes(process.env.JOB)) continue;
  await page.goto(`${base}/console`);
  clicks = 0;
  try {
    await run();
    console.log(`${clicks > most ? "more" : "ok"}  ${String(clicks).padStart(2)}  ${job}`);
    failed += clicks > most;
  } catch (error) {
    failed += 1;
    console.log(`failed after ${clicks}: ${job}: ${error.message.split("\n")[0]} at ${page.url()}`);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/clicks-${job.replaceAll(" ", "-")}.png`, fullPage: true });
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
