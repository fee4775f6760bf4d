import { Operations } from "./generated.js";
import { type Call, Http, List, type Settings } from "./http.js";

export * from "./errors.js";
export * from "./generated.js";
export { List, type RequestOptions, type ResponseInfo, type Settings, type WriteOptions, responseOf } from "./http.js";
export { type Delivery, type WebhookHeaders, verifyWebhook } from "./webhooks.js";

/** A client of the Public API: each operation is a method of its name. */
export class Spotter extends Operations {
  readonly #http: Http;

  constructor(settings: Settings = {}) {
    super();
    this.#http = new Http(settings);
  }

  protected override call<T>(call: Call): Promise<T> {
    return this.#http.call<T>(call);
  }

  protected override list<T, I>(call: Call, items: string): List<T, I> {
    const page = (cursor?: string) => {
      if (!cursor) return this.#http.call<T>(call);
      const { page: _, ...query } = call.query ?? {};
      return this.#http.call<T>({ ...call, query: { ...query, cursor } });
    };
    return new List(page, items);
  }
}
