// What people come for, from beginning to end, each with script and without; then what pages weigh.
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { app, base, demo, letter, newBrowser, tokenOf } from "./demo.mjs";

const browser = await newBrowser();
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

// What stands in the mail that invites somebody, in the demo's mailbox.
const invitation = async (email) => /token=([\w-]+)/.exec((await letter(email, /token=[\w-]+/)).text)[1];

// An installation without a company, and the link that its log shows.
async function installation(port) {
  const data = mkdtempSync(join(tmpdir(), "spotter-"));
  const program = spawn(process.env.BINARY, ["serve", "--listen", `127.0.0.1:${port}`, "--data", data], { stdio: ["ignore", "pipe", "pipe"] });
  const link = await new Promise((done, failed) => {
    let log = "";
    const look = (chunk) => {
      log += chunk;
      const found = /http:[^" ]+\/set-up\?key=[^" ]+/.exec(log);
      if (found && log.includes("serving")) done(found[0]);
    };
    program.stdout.on("data", look);
    program.stderr.on("data", look);
    program.on("exit", () => failed(new Error(log.slice(-500))));
  });
  return { link, end: () => { program.kill(); rmSync(data, { recursive: true, force: true }); } };
}

// A receiver of webhooks whose answers can be told: it is out of order until somebody mends it.
const receiver = { status: 503, received: 0 };
if (process.env.RECEIVER_KEY) {
  const [key, cert] = [process.env.RECEIVER_KEY, process.env.RECEIVER_CERTIFICATE].map((file) => readFileSync(file));
  const server = createServer({ key, cert }, (request, answer) => {
    request.resume();
    request.on("end", () => { receiver.received += 1; answer.writeHead(receiver.status).end("out of order"); });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  receiver.url = `https://localhost:${server.address().port}/hook`;
  server.unref();
  // Two changes are told to it, and fail three times within three minutes, while the other journeys go on.
  const token = await tokenOf("manager");
  const hook = { name: "Out of order", url: receiver.url, events: ["client.created"] };
  receiver.id = (await app(token, "POST", "/webhooks", hook)).subscription.id;
  for (const firstName of ["Told", "Untold"]) await app(token, "POST", "/clients", { firstName });
}

// Goes on by the Tab key to what has this name, and no pointer.
async function tabTo(page, name) {
  for (let tries = 0; tries < 400; tries += 1) {
    await page.keyboard.press("Tab");
    const found = await page.evaluate(() => {
      const own = document.activeElement;
      const label = own.getAttribute("aria-label") ?? own.labels?.[0]?.innerText ?? own.innerText ?? "";
      const outline = getComputedStyle(own).outlineStyle;
      return { label: label.trim(), seen: outline !== "none" };
    });
    if (found.label.startsWith(name)) {
      if (!found.seen) throw new Error(`${name} has the focus, and does not show it`);
      return;
    }
  }
  throw new Error(`no key leads to ${name}`);
}

const journeys = {
  async "a business is set up, and its first appointment booked"(options) {
    const fresh = await installation(options.javaScriptEnabled ? 18181 : 18182);
    try {
      const began = Date.now();
      const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })).newPage();
      page.setDefaultTimeout(10000);
      await page.goto(fresh.link);
      for (const [field, value] of [["name", "Fresh Gym"], ["firstName", "Ona"], ["lastName", "Ray"], ["email", "ona@example.com"], ["password", "several plain words"]]) {
        await page.fill(`#${field}`, value);
      }
      await page.click("button[type=submit]");
      await shows(page, "First steps");
      await page.locator('li:has-text("Create your first class or appointment") a').click();
      await open(page, "Add event type");
      const kind = form(page, "create_event_type");
      await kind.locator("[name=name]").fill("Personal training");
      await kind.locator("[name=kind]").selectOption("appointment");
      await kind.locator("[name=durationMinutes]").fill("60");
      await send(page, "create_event_type");
      await page.locator('a:has-text("Today")').first().click();
      await page.locator('li:has-text("Say when you work") a').click();
      await open(page, "Change the hours");
      for (let day = 1; day <= 7; day += 1) {
        await page.fill(`[name="-hours.${day}.0.startTime"]`, "07:00");
        await page.fill(`[name="-hours.${day}.0.endTime"]`, "21:00");
      }
      await send(page, "set_coach_availability");
      await page.locator('a:has-text("Today")').first().click();
      await page.locator('li:has-text("Add your first client") a').click();
      await page.fill("[name=firstName]", "Ann");
      await send(page, "create_client");
      await shows(page, "Added.");
      await page.locator('a:has-text("Book")').last().click();
      await page.selectOption("select[name=eventTypeId]", { index: 1 });
      if (!options.javaScriptEnabled) await page.locator("main form.filters button").click();
      const nearest = page.locator('a:has-text("Next free")');
      const times = page.locator(".times form").first();
      await nearest.or(times).first().waitFor();
      if (await nearest.count()) await nearest.click();
      await times.locator("button").click();
      await shows(page, "Booked.");
      const seconds = (Date.now() - began) / 1000;
      if (seconds > 180) throw new Error(`took ${seconds} s`);
    } finally {
      fresh.end();
    }
  },
  async "a week is looked through and somebody booked by keyboard alone"(options) {
    const page = await signedIn("manager", { ...options, viewport: { width: 1280, height: 900 } });
    await page.goto(`${base}/console/calendar`);
    await tabTo(page, "Next");
    await page.keyboard.press("Enter");
    await page.waitForURL(/date=/);
    await page.goto(`${base}/console/calendar/book`);
    await tabTo(page, "Find a client");
    await page.keyboard.type(demo.client.email);
    await page.keyboard.press("Enter");
    await page.waitForURL(/search=/);
    await tabTo(page, "Choose");
    await page.keyboard.press("Enter");
    await page.waitForURL(/clientId=/);
    await tabTo(page, "What");
    await page.keyboard.type("Personal training");
    if (options.javaScriptEnabled) await page.keyboard.press("Enter");
    else { await tabTo(page, "Show"); await page.keyboard.press("Enter"); }
    const nearest = page.locator('a:has-text("Next free")');
    const times = page.locator(".times form").first();
    // A time of several coaches is opened first.
    const several = page.locator(".times summary").first();
    await nearest.or(several).or(times).first().waitFor();
    if (await nearest.count()) { await tabTo(page, "Next free"); await page.keyboard.press("Enter"); }
    await several.or(times).first().waitFor();
    if (await several.count()) { await tabTo(page, (await several.innerText()).trim()); await page.keyboard.press("Enter"); }
    await times.waitFor();
    await tabTo(page, (await times.locator("button").innerText()).trim());
    await page.keyboard.press("Enter");
    await shows(page, "Booked.");
  },
  async "the last seat is raced for"(options) {
    const token = await tokenOf("manager");
    const marks = `${Date.now()}`;
    const people = [];
    for (const at of [0, 1]) {
      const email = `racer${at}-${marks}@example.com`;
      const made = await app(token, "POST", "/clients", { firstName: `Racer${at}`, email });
      await app(token, "POST", `/clients/${made.client.clientId}/invite`);
      const password = "several plain words";
      await app(null, "POST", "/auth/invitations/accept", { token: await invitation(email), password });
      demo[`racer${at}`] = { email, password };
      people.push(`racer${at}`);
    }
    const coaches = await app(token, "GET", "/coaches?limit=50&status=active");
    const name = `Race ${marks}`;
    const kind = { name, kind: "class", durationMinutes: 30, capacity: 1, clientsMayBook: true, waitlist: false };
    const type = await app(token, "POST", "/event-types", Object.fromEntries(Object.entries(kind).filter(([field]) => field !== "waitlist")));
    // At some hour of the next days a coach is free.
    let startsAt;
    for (let hours = 26; !startsAt; hours += 1) {
      const at = new Date(Math.ceil(Date.now() / 3600000) * 3600000 + hours * 3600000).toISOString();
      const event = { eventTypeId: type.eventType.eventTypeId, coachId: coaches.coaches[hours % coaches.coaches.length].coachId, startsAt: at };
      await app(token, "POST", "/calendar/events", event).then(() => { startsAt = at; }, (error) => { if (hours > 60) throw error; });
    }
    const day = startsAt.slice(0, 10);
    const pages = await Promise.all(people.map((person) => signedIn(person, options)));
    const seat = (page) => page.locator("#confirm form button").first();
    for (const page of pages) {
      await page.goto(`${base}/my/book?date=${day}`);
      await page.locator(`li:has-text("${name}") a.button`).first().click();
      await seat(page).waitFor();
    }
    await Promise.all(pages.map((page) => seat(page).click()));
    const outcome = async (page) => {
      const booked = page.locator('main :text("Booked.")');
      const told = page.locator('main [role=alert], main [role=status]:has-text("waiting list")');
      await booked.or(told).first().waitFor();
      return (await booked.count()) > 0;
    };
    const won = await Promise.all(pages.map(outcome));
    if (won.filter(Boolean).length !== 1) {
      const seen = await Promise.all(pages.map(async (page) => `${page.url()} ${(await page.locator("main").innerText()).slice(0, 300)}`));
      throw new Error(`booked: ${won} ${seen.join(" | ")}`);
    }
  },
  async "a file is sent to a client, who opens it"(options) {
    const page = await signedIn("manager", options);
    await page.goto(`${base}/console/clients/${demo.client.clientId}/files`);
    await open(page, "Send a file");
    const name = `Plan ${Date.now()}`;
    const sent = form(page, "file_document");
    await sent.locator("[type=file]").setInputFiles({ name: "plan.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7\n%%EOF\n") });
    await sent.locator("[name=name]").fill(name);
    await sent.locator("[name=type]").selectOption("plan");
    await send(page, "file_document");
    await shows(page, name);
    const own = await signedIn("client", options);
    await own.goto(`${base}/my/files`);
    const download = own.waitForEvent("download");
    await own.locator(`a:has-text("${name}")`).click();
    if ((await download).suggestedFilename() !== "plan.pdf") throw new Error("another file");
  },
  async "a client is added, sold a membership, and pays"(options) {
    const page = await signedIn("manager", options);
    await page.goto(`${base}/console/clients/new`);
    const name = `Ann${Date.now()}`;
    await page.fill("[name=firstName]", name);
    await page.fill("[name=lastName]", "Journey");
    await send(page, "create_client");
    await shows(page, "Added.");
    await page.click('main a:has-text("Sell")');
    await page.locator("a.tile").last().click();
    await page.locator('form[id^="assign-membership"]').waitFor();
    await send(page, "assign_membership");
    await shows(page, "Sold.");
    await page.locator('td a[href^="/console/money/invoices/"]').first().click();
    await open(page, "Take a payment");
    await form(page, "record_payment").locator("select[name=kind]").selectOption("cash");
    await send(page, "record_payment");
    await shows(page, "Paid");
  },
  async "a bottle is sold to a passer-by in three clicks, and the till counted"(options) {
    const page = await signedIn("manager", options);
    await page.goto(`${base}/console`);
    await page.click('main a:has-text("Sell")');
    await page.locator("a.tile").first().click();
    const cash = page.locator('form:has([value="cash"])');
    await cash.waitFor();
    await cash.locator('[name="payment.amountReceived:money"]').fill("50");
    await cash.locator("button[type=submit]").click();
    await shows(page, "Give change");
    await page.goto(`${base}/console/money/payments`);
    await shows(page, "Cash");
  },
  async "clients are ticked and tagged together"(options) {
    const page = await signedIn("manager", options);
    await page.goto(`${base}/console/clients?search=bos`);
    for (const at of [0, 1]) await page.locator("td [name=clientIds]").nth(at).check();
    await open(page, "Change the ticked clients");
    const tag = `trip ${Date.now()}`;
    await form(page, "change_clients").locator('[name="addTags:list"]').fill(tag);
    await send(page, "change_clients");
    await shows(page, "Changed: 2. As wanted before: 0. Refused: 0.");
    await send(page, "change_clients");
    await page.locator(`td .state:has-text("${tag}")`).first().waitFor();
  },
  async "somebody is booked, checked in and called off"(options) {
    const page = await signedIn("manager", options);
    await page.goto(`${base}/console/calendar/book?clientId=${demo.client.clientId}`);
    await page.selectOption("select[name=eventTypeId]", { label: "Personal training · 60 min" });
    // With script, what is chosen is asked for at once.
    if (!options.javaScriptEnabled) await page.locator("main form.filters button").click();
    const nearest = page.locator('a:has-text("Next free")');
    const times = page.locator(".times form").first();
    const several = page.locator(".times summary").first();
    await nearest.or(several).or(times).first().waitFor();
    if (await nearest.count()) await nearest.click();
    await several.or(times).first().waitFor();
    if (await several.count()) await several.click();
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
    await nearest.or(page.locator(".times a")).first().waitFor();
    if (await nearest.count()) await nearest.click();
    await page.locator(".times a").first().click();
    await form(page, "create_booking").locator('button:has-text("Book it")').click();
    await shows(page, "Booked.");
    await page.goto(`${base}/my/training`);
    const begin = page.locator("ul.rows").locator("form:has([value=begin_workout_session]) button").or(page.locator('a.button:has-text("Go on")')).first();
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
      // Sets that are not ticked are asked about.
      page.once("dialog", (dialog) => dialog.accept());
      if (options.javaScriptEnabled) await send(page, "complete_workout_session");
      else { await page.locator(".unscripted summary").click(); await page.locator(".unscripted form button").click(); }
      await shows(page, "Well done!");
    }
  },
  async "a client's device shows notifications"(options) {
    if (!options.javaScriptEnabled) return;
    // Push services are elsewhere: what a browser would say of one is made up, and what one would bring is delivered here.
    const page = await signedIn("client", { ...options, permissions: ["notifications"] });
    await page.addInitScript(() => {
      const keys = { p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4", auth: "BTBZMqHH6r4Tts7J_aSIgg" };
      PushManager.prototype.subscribe = async () => ({ endpoint: `https://push.example.com/${Date.now()}`, toJSON: () => ({ keys }) });
    });
    await page.goto(`${base}/my/consents`);
    const part = page.locator("[data-push]");
    await part.locator("[data-push-state=ready] button").click();
    await part.locator("li:has-text('push.example.com')").waitFor();
    const devtools = await page.context().newCDPSession(page);
    const registered = new Promise((done) => devtools.on("ServiceWorker.workerRegistrationUpdated", (update) => done(update.registrations[0])));
    await devtools.send("ServiceWorker.enable");
    const { registrationId } = await registered;
    const data = JSON.stringify({ title: "Riverside", body: "Your class moved", url: `${base}/my/bookings` });
    await devtools.send("ServiceWorker.deliverPushMessage", { origin: base, registrationId, data });
    await page.waitForFunction(async () => (await (await navigator.serviceWorker.ready).getNotifications()).some((one) => one.body === "Your class moved"));
    await part.locator("li form button").click();
    await part.locator("li").waitFor({ state: "detached" });
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
  async "exercises are put in another order, and a curve is looked into"(options) {
    const page = await signedIn("manager", { ...options, viewport: { width: 1280, height: 900 } });
    await page.goto(`${base}/console/programmes`);
    const programmes = await page.locator('main a[href*="/console/programmes/"]').evaluateAll((all) => all.map((one) => one.href));
    const day = page.locator('main a[href*="/days/"]').first();
    for (const programme of programmes) {
      await page.goto(programme);
      if (await day.count()) break;
    }
    await day.click();
    const rows = page.locator("li:has(form) b");
    await rows.nth(1).waitFor();
    const before = await rows.allInnerTexts();
    if (options.javaScriptEnabled) await page.locator("li[data-drag=exercise]").nth(1).dragTo(page.locator("li[data-drag=exercise]").nth(0));
    else await page.locator("li[data-drag=exercise]").nth(1).locator('button:has-text("up")').click();
    await page.locator(`li[data-drag=exercise] >> nth=0 >> text="${before[1]}"`).waitFor();
    await page.goto(`${base}/console/reports/retention?groupBy=day&from=${new Date(Date.now() - 60 * 86400000).toISOString().slice(0, 10)}`);
    const zoom = page.locator("[data-zoom]").first();
    if (options.javaScriptEnabled) {
      await zoom.click();
      await page.locator(".uplot canvas").waitFor();
    } else if (await zoom.isVisible()) throw new Error("a button that does nothing without script");
  },
  async "a failed delivery is found and sent again"(options) {
    if (!receiver.id) return;
    const page = await signedIn("manager", options);
    // Its third attempt is three minutes after the first.
    const failed = page.locator('li:has(.state:has-text("Failed"))').first();
    for (let tries = 0; tries < 50; tries += 1) {
      await page.goto(`${base}/console/webhooks/${receiver.id}?status=failed`);
      if (await failed.count()) break;
      await page.waitForTimeout(5000);
    }
    receiver.status = 204;
    const received = receiver.received;
    await failed.locator("a").first().click();
    await shows(page, "503");
    await send(page, "redeliver_webhook");
    for (let tries = 0; tries < 20 && receiver.received === received; tries += 1) await page.waitForTimeout(250);
    if (receiver.received !== received + 1) throw new Error(`received ${receiver.received - received}`);
    await page.goto(`${base}/console/webhooks/${receiver.id}?status=succeeded`);
    await page.locator(".state").first().waitFor();
  },
};

const wanted = new RegExp(process.env.JOURNEY ?? ".");
for (const [name, journey] of Object.entries(journeys).filter(([name]) => wanted.test(name))) {
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
