import { ApiError, ConnectionError, SpotterError, apiError } from "./errors.js";
import type { Scope } from "./generated.js";

/** How one request differs from the client's settings. */
export interface RequestOptions {
  /** Ends the request, and the wait for another try. */
  signal?: AbortSignal;
  /** Milliseconds that one try may take. */
  timeout?: number;
}

/** How one write differs from the client's settings. */
export interface WriteOptions extends RequestOptions {
  /** Names this write; one is made where there is none. Repeat a write whose outcome is unknown with the same key. */
  idempotencyKey?: string;
}

/** A request of an operation. */
export interface Call {
  operation: string;
  method: string;
  path: string;
  query?: Record<string, unknown>;
  body?: unknown;
  device?: boolean;
  options: WriteOptions;
}

/** What a client is made with. */
export interface Settings {
  /** Where the installation is, such as `https://gym.example.com`; `SPOTTER_URL` when absent. */
  url?: string;
  /** `fspc_…`; `SPOTTER_CLIENT_ID` when absent. */
  clientId?: string;
  /** `fsps_…`; `SPOTTER_CLIENT_SECRET` when absent. */
  clientSecret?: string;
  /** Scopes of the tokens; all of the API client's when absent. */
  scopes?: Scope[];
  /** `fsdk_…`, for the operations of access devices. */
  deviceKey?: string;
  /** Tries after the first; 3 when absent. */
  maxRetries?: number;
  /** Milliseconds that one try may take; 30,000 when absent. */
  timeout?: number;
  /** Another implementation of fetch. */
  fetch?: typeof fetch;
}

/** What comes with an answer beside its data. */
export interface ResponseInfo {
  status: number;
  /** The request's id, which the operator's log has, too. */
  requestId: string;
  rateLimit: { limit: number; remaining: number; resetSeconds: number };
  /** Whether it is the stored answer of an earlier request with the same key; absent of reads. */
  replayed?: boolean;
}

const responses = new WeakMap<object, ResponseInfo>();

/** What came with an answer: request id, rate limit, and whether it was replayed. */
export function responseOf(data: object): ResponseInfo | undefined {
  return responses.get(data);
}

/** The longest time that a Retry-After is waited for, in milliseconds. */
const WAIT_MAX = 60_000;

/** Seconds before its end at which a token is renewed. */
const RENEWED_BEFORE = 60;

type Envelope = {
  data?: object;
  error?: { code: number; key: string; message: string; details?: Record<string, unknown> };
  meta?: { requestId: string; rateLimit: ResponseInfo["rateLimit"]; idempotency?: { replayed: boolean } };
};

/** Makes requests: with a token, again where that helps, and out of their envelope. */
export class Http {
  readonly #url: string;
  readonly #settings: Settings;
  #token: { value: string; until: number } | undefined;
  #renewal: Promise<string> | undefined;

  constructor(settings: Settings) {
    const variable = (name: string) => globalThis.process?.env?.[name];
    const url = settings.url ?? variable("SPOTTER_URL");
    if (!url) throw new SpotterError("the settings have no url, and there is no SPOTTER_URL");
    this.#url = url.replace(/\/+$/, "").replace(/\/public\/v1$/, "");
    const clientId = settings.clientId ?? variable("SPOTTER_CLIENT_ID");
    const clientSecret = settings.clientSecret ?? variable("SPOTTER_CLIENT_SECRET");
    this.#settings = {
      ...settings,
      ...(clientId && { clientId }),
      ...(clientSecret && { clientSecret }),
    };
  }

  /** The data of an operation's answer. */
  async call<T>(call: Call): Promise<T> {
    const headers: Record<string, string> = { Accept: "application/json" };
    let body: string | undefined;
    if (call.body !== undefined) {
      headers["Content-Type"] = "application/json";
      body = JSON.stringify(call.body);
    }
    if (call.method !== "GET") {
      headers["Idempotency-Key"] = call.options.idempotencyKey ?? crypto.randomUUID();
    }
    const url = `${this.#url}/public/v1${call.path}${search(call.query ?? {})}`;
    let renewed = false;
    for (let attempt = 0; ; attempt++) {
      if (call.device) headers["x-device-key"] = this.#deviceKey();
      else headers["Authorization"] = `Bearer ${await this.#accessToken(call.options)}`;
      try {
        const response = await this.#send(url, { method: call.method, headers, ...(body !== undefined && { body }) }, call.options);
        return await this.#read<T>(call, response);
      } catch (error) {
        // A token may have been revoked before its time, as by a new secret.
        if (error instanceof ApiError && error.status === 401 && !call.device && !renewed) {
          renewed = true;
          this.#token = undefined;
          continue;
        }
        const wait = this.#wait(error, attempt);
        if (wait === undefined || call.options.signal?.aborted) throw error;
        await pause(wait, call.options.signal);
      }
    }
  }

  /** How long to wait before another try, in milliseconds; nothing where another would not help. */
  #wait(error: unknown, attempt: number): number | undefined {
    if (attempt >= (this.#settings.maxRetries ?? 3)) return undefined;
    const backoff = Math.min(500 * 2 ** attempt, 8_000) * (0.5 + Math.random() / 2);
    if (error instanceof ConnectionError) return backoff;
    if (!(error instanceof ApiError) || !error.isTransient) return undefined;
    if (error.retryAfterSeconds === undefined) return backoff;
    const asked = error.retryAfterSeconds * 1_000;
    return asked <= WAIT_MAX ? asked : undefined;
  }

  #deviceKey(): string {
    if (!this.#settings.deviceKey) throw new SpotterError("the settings have no deviceKey");
    return this.#settings.deviceKey;
  }

  /** A token that is good for a while; one request for it serves all who wait. */
  async #accessToken(options: RequestOptions): Promise<string> {
    if (this.#token && Date.now() < this.#token.until) return this.#token.value;
    this.#renewal ??= this.#requestToken(options).finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #requestToken(options: RequestOptions): Promise<string> {
    const { clientId, clientSecret, scopes } = this.#settings;
    if (!clientId || !clientSecret) {
      throw new SpotterError("there are no credentials: set clientId and clientSecret, or SPOTTER_CLIENT_ID and SPOTTER_CLIENT_SECRET");
    }
    const form = new URLSearchParams({ grant_type: "client_credentials" });
    if (scopes) form.set("scope", scopes.join(" "));
    const headers = {
      Authorization: `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`,
      "Content-Type": "application/x-www-form-urlencoded",
    };
    for (let attempt = 0; ; attempt++) {
      try {
        // Others may wait for the token whose requests are not ended.
        const { signal: _, ...own } = options;
        const init = { method: "POST", headers, body: form.toString() };
        const response = await this.#send(`${this.#url}/public/v1/oauth/token`, init, own);
        const answer = (await json(response)) as Record<string, unknown>;
        if (!response.ok) {
          const message = String(answer["error_description"] ?? answer["error"] ?? response.statusText);
          throw apiError(response, String(answer["error"] ?? "auth.invalid_client"), message, "", undefined);
        }
        const value = String(answer["access_token"]);
        const until = Date.now() + (Number(answer["expires_in"]) - RENEWED_BEFORE) * 1_000;
        this.#token = { value, until };
        return value;
      } catch (error) {
        const wait = this.#wait(error, attempt);
        if (wait === undefined) throw error;
        await pause(wait);
      }
    }
  }

  async #send(url: string, init: RequestInit, options: RequestOptions): Promise<Response> {
    const limit = AbortSignal.timeout(options.timeout ?? this.#settings.timeout ?? 30_000);
    const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
    const send = this.#settings.fetch ?? fetch;
    try {
      return await send(url, { ...init, signal, redirect: "error" });
    } catch (cause) {
      if (options.signal?.aborted) throw options.signal.reason;
      throw new ConnectionError(`${new URL(url).host} did not answer`, { cause });
    }
  }

  async #read<T>(call: Call, response: Response): Promise<T> {
    const { data, error, meta } = (await json(response)) as Envelope;
    if (response.ok && data) {
      const { requestId = "", rateLimit = { limit: 0, remaining: 0, resetSeconds: 0 } } = meta ?? {};
      const replayed = meta?.idempotency?.replayed;
      responses.set(data, { status: response.status, requestId, rateLimit, ...(replayed !== undefined && { replayed }) });
      return data as T;
    }
    const message = error?.message ?? `${call.operation}: the answer has status ${response.status} and no envelope`;
    throw apiError(response, error?.key ?? "", message, meta?.requestId ?? "", error?.details);
  }
}

async function json(response: Response): Promise<unknown> {
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    throw new ConnectionError("the answer broke off", { cause });
  }
  try {
    return JSON.parse(text);
  } catch {
    // A proxy before the service has answered.
    return {};
  }
}

function search(query: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** A list: awaited, it is its first page; iterated, every item of every page. */
export class List<T, I> implements PromiseLike<T>, AsyncIterable<I> {
  readonly #page: (cursor?: string) => Promise<T>;
  readonly #items: string;

  constructor(page: (cursor?: string) => Promise<T>, items: string) {
    this.#page = page;
    this.#items = items;
  }

  /** The page that was asked for. */
  then<A = T, B = never>(
    onfulfilled?: ((page: T) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page().then(onfulfilled, onrejected);
  }

  /** What is done where the page cannot be had. */
  catch<B = never>(onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onrejected);
  }

  /** What is done in either case. */
  finally(onfinally?: (() => void) | null): Promise<T> {
    return this.#page().finally(onfinally);
  }

  /** Every page, by the cursor of the one before. */
  async *pages(): AsyncGenerator<T> {
    let cursor: string | undefined;
    do {
      const page = await this.#page(cursor);
      yield page;
      cursor = (page as { nextCursor?: string | null }).nextCursor ?? undefined;
    } while (cursor);
  }

  /** Every item of every page. */
  async *[Symbol.asyncIterator](): AsyncGenerator<I> {
    for await (const page of this.pages()) {
      yield* (page as Record<string, I[]>)[this.#items] ?? [];
    }
  }

  /** The items in an array, `max` at most. */
  async toArray(max = Infinity): Promise<I[]> {
    const items: I[] = [];
    for await (const item of this) {
      if (items.length >= max) break;
      items.push(item);
    }
    return items;
  }
}
