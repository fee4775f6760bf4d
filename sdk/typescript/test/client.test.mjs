// Against an installation that SPOTTER_URL, SPOTTER_CLIENT_ID and SPOTTER_CLIENT_SECRET name, such as a demo.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import * as api from "../dist/index.js";

const { Spotter, hasKey, responseOf, verifyWebhook } = api;

test("a client is created once, read, changed and found", async () => {
  const spotter = new Spotter();
  const externalId = `sdk-${Date.now()}`;
  const body = { firstName: "Ann", lastName: "Vos", externalId };
  const { client } = await spotter.createClient(body, { idempotencyKey: externalId });
  const again = await spotter.createClient(body, { idempotencyKey: externalId });
  assert.equal(again.client.clientId, client.clientId);
  assert.deepEqual([responseOf(again).replayed, responseOf(again).status], [true, 201]);
  const changed = await spotter.updateClient(client.clientId, { lastName: "Visser" });
  assert.equal(changed.client.lastName, "Visser");
  assert.equal(responseOf(changed).replayed, false);
  const found = await spotter.getClient(client.clientId);
  assert.equal(found.client.firstName, "Ann");
  assert.match(responseOf(found).requestId, /^[0-9a-f-]{36}$/);
  assert.ok(responseOf(found).rateLimit.limit > 0);
  await assert.rejects(spotter.createClient({ ...body, firstName: "Bea" }, { idempotencyKey: externalId }), (error) => {
    assert.ok(error instanceof api.ConflictError && hasKey(error, "idempotency.conflict"));
    return true;
  });
});

test("a list is a page when it is awaited, and every item when it is iterated", async () => {
  const spotter = new Spotter();
  const page = await spotter.listClients({ limit: 7, memberStatus: "active" });
  assert.equal(page.clients.length, 7);
  const ids = new Set();
  for await (const client of spotter.listClients({ limit: 90, memberStatus: "active" })) ids.add(client.clientId);
  assert.equal(ids.size, page.total);
  const few = await spotter.listClients({ limit: 5 }).toArray(12);
  assert.equal(few.length, 12);
});

test("the log has what was announced, newest first", async () => {
  const spotter = new Spotter();
  const { client } = await spotter.createClient({ firstName: "Log" });
  const [event] = await spotter.listEvents({ type: "client.created" }).toArray(1);
  assert.equal(event.data.clientId, client.clientId);
  const { event: same } = await spotter.getEvent(event.id);
  assert.deepEqual(same, event);
});

test("refusals are errors of a class and a key", async () => {
  const spotter = new Spotter();
  const refused = async (promise, kind, key) =>
    assert.rejects(promise, (error) => {
      assert.ok(error instanceof kind, `${error}`);
      assert.equal(error.key, key);
      assert.ok(hasKey(error, key) && !error.isTransient && error.requestId);
      return true;
    });
  await refused(spotter.getClient("019a8f3c2b7d4e5f60718293"), api.NotFoundError, "PUBLIC_API_CLIENT_NOT_FOUND");
  await refused(spotter.createClient({ firstName: "A", nickname: "B" }), api.InvalidRequestError, "request.invalid");
  const narrow = new Spotter({ scopes: ["clients:read"] });
  await refused(narrow.createClient({ firstName: "A" }), api.PermissionError, "scopes.insufficient");
  const wrong = new Spotter({ clientSecret: "fsps_wrong" });
  await assert.rejects(wrong.listClients(), api.AuthenticationError);
  await assert.rejects(new Spotter({ url: "http://127.0.0.1:9", maxRetries: 0 }).listClients(), api.ConnectionError);
});

/** A fetch that answers from a list, with a token before each that needs one. */
function answers(...list) {
  const sent = [];
  const fetch = async (url, init) => {
    if (url.endsWith("/oauth/token")) {
      sent.push("token");
      return Response.json({ access_token: `t${sent.length}`, token_type: "Bearer", expires_in: 3600 });
    }
    sent.push({ ...init.headers });
    const next = list.shift();
    if (next === undefined) throw new TypeError("fetch failed");
    const [status, body, headers] = next;
    return Response.json(body, { status, headers });
  };
  return { sent, fetch };
}

const FINE = [200, { data: { client: { clientId: "1" } }, meta: { requestId: "r", rateLimit: {} } }];
const refusal = (key, headers) => [key.startsWith("auth") ? 401 : key.startsWith("idem") ? 409 : 429, { error: { key, message: key } }, headers];

test("what may succeed later is tried again with the same key", async () => {
  const { sent, fetch } = answers(refusal("rate_limit.exceeded", { "retry-after": "0" }), refusal("idempotency.in_progress", { "retry-after": "0" }), [502, {}], FINE);
  const spotter = new Spotter({ url: "http://x", clientId: "a", clientSecret: "b", fetch });
  await spotter.createClient({ firstName: "A" });
  const keys = sent.slice(1).map((headers) => headers["Idempotency-Key"]);
  assert.equal(keys.length, 4);
  assert.equal(new Set(keys).size, 1);
});

test("no wait is longer than a minute, and nothing is tried forever", async () => {
  const long = answers(refusal("rate_limit.exceeded", { "retry-after": "3600" }));
  const spotter = new Spotter({ url: "http://x", clientId: "a", clientSecret: "b", fetch: long.fetch });
  await assert.rejects(spotter.listClients(), (error) => error instanceof api.RateLimitError && error.retryAfterSeconds === 3600);
  const down = answers();
  const settings = { url: "http://x", clientId: "a", clientSecret: "b", fetch: down.fetch, maxRetries: 1 };
  await assert.rejects(new Spotter(settings).listClients(), api.ConnectionError);
  assert.equal(down.sent.length, 3);
});

test("a revoked token is replaced once, and one request for a token serves all", async () => {
  const { sent, fetch } = answers(refusal("auth.invalid_token"), FINE, FINE, FINE);
  const spotter = new Spotter({ url: "http://x", clientId: "a", clientSecret: "b", fetch });
  await spotter.getClient("1");
  assert.deepEqual(sent.map((one) => (one === "token" ? one : one.Authorization)), ["token", "Bearer t1", "token", "Bearer t3"]);
  await Promise.all([spotter.getClient("1"), spotter.getClient("2")]);
  assert.equal(sent.filter((one) => one === "token").length, 2);
});

test("a wait ends with its signal", async () => {
  const { fetch } = answers(refusal("rate_limit.exceeded", { "retry-after": "30" }));
  const spotter = new Spotter({ url: "http://x", clientId: "a", clientSecret: "b", fetch });
  const signal = AbortSignal.timeout(50);
  await assert.rejects(spotter.getClient("1", { signal }), (error) => error === signal.reason);
});

test("deliveries are verified", async () => {
  const secret = "whsec_test";
  const body = JSON.stringify({ type: "client.created", id: "e1", occurredAt: "2026-03-29T01:00:00.000Z", data: { b: "é\u2028", a: [1.5, { d: null, c: true }] } });
  const canonical = '{"data":{"a":[1.5,{"c":true,"d":null}],"b":"é\u2028"},"id":"e1","occurredAt":"2026-03-29T01:00:00.000Z","type":"client.created"}';
  const headers = (at, digits) => ({
    "X-Service-Webhook-Timestamp": String(at),
    "X-Service-Webhook-Delivery": "d1",
    "X-Service-Webhook-Signature": digits,
  });
  const now = Math.floor(Date.now() / 1000);
  const sign = (at) => `v1=${createHmac("sha256", secret).update(`${at}.d1.e1.${canonical}`).digest("hex")}`;
  const event = await verifyWebhook({ body, secret, headers: headers(now, `v1=${"0".repeat(64)}, ${sign(now)}`) });
  assert.equal(event.type, "client.created");
  await verifyWebhook({ body: new TextEncoder().encode(body), secret, headers: new Headers(headers(now, sign(now))) });
  for (const wrong of [
    { body, secret, headers: headers(now - 301, sign(now - 301)) },
    { body, secret: "whsec_other", headers: headers(now, sign(now)) },
    { body: body.replace("1.5", "1.6"), secret, headers: headers(now, sign(now)) },
    { body, secret, headers: {} },
    { body: "x", secret, headers: headers(now, sign(now)) },
    { body: "null", secret, headers: headers(now, sign(now)) },
  ]) {
    await assert.rejects(verifyWebhook(wrong), api.SignatureError);
  }
});
