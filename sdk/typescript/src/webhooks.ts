import { SignatureError } from "./errors.js";
import type { SpotterEvent } from "./generated.js";

/** Headers as fetch has them, or as Node.js has them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** A delivery as it was received. */
export interface Delivery {
  /** The body as it came, not parsed and written again. */
  body: string | Uint8Array;
  headers: WebhookHeaders;
  /** The subscription's signing secret, `whsec_…`. */
  secret: string;
  /** Seconds that the delivery may be old; 300 when absent. */
  tolerance?: number;
}

/** The event of a delivery; throws a SignatureError for one that is not the service's, or is too old. */
export async function verifyWebhook({ body, headers, secret, tolerance = 300 }: Delivery): Promise<SpotterEvent> {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  let event: SpotterEvent;
  try {
    event = JSON.parse(text) as SpotterEvent;
  } catch {
    throw new SignatureError("the body is no JSON");
  }
  const timestamp = header(headers, "x-service-webhook-timestamp");
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= tolerance)) throw new SignatureError("the timestamp is stale");
  const delivery = header(headers, "x-service-webhook-delivery");
  const signed = new TextEncoder().encode(`${timestamp}.${delivery}.${event?.id}.${canonical(event)}`);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), algorithm, false, ["verify"]);
  // Two signatures for a while after the secret was replaced.
  for (const given of header(headers, "x-service-webhook-signature").split(",")) {
    const digits = /^v1=((?:[0-9a-f]{2}){32})$/.exec(given.trim())?.[1];
    if (!digits) continue;
    const signature = Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
    // Compares in constant time.
    if (await crypto.subtle.verify("HMAC", key, signature, signed)) return event;
  }
  throw new SignatureError("the signature is wrong");
}

function header(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const found = Object.entries(headers).find(([own]) => own.toLowerCase() === name)?.[1];
  return (Array.isArray(found) ? found[0] : found) ?? "";
}

/** JSON with sorted keys and no spaces between tokens. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, own]) => `${JSON.stringify(name)}:${canonical(own)}`).join(",")}}`;
}
