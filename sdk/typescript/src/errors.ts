import type { ErrorKey } from "./generated.js";

/** Anything that this library throws. */
export class SpotterError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The service was not reached, or its answer broke off. */
export class ConnectionError extends SpotterError {}

/** A webhook delivery that is not the service's. */
export class SignatureError extends SpotterError {}

/** The service refused a request. */
export class ApiError extends SpotterError {
  /** The HTTP status. */
  readonly status: number;
  /** The stable key of the error; match on it, never on the message. */
  readonly key: ErrorKey | (string & {});
  /** The request's id, which the operator's log has, too. */
  readonly requestId: string;
  /** `field` and `rule` of invalid input, `requiredScopes` of a missing scope. */
  readonly details: Record<string, unknown>;
  /** Seconds to wait before another try, where the service says so. */
  readonly retryAfterSeconds: number | undefined;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.status = refusal.status;
    this.key = refusal.key;
    this.requestId = refusal.requestId;
    this.details = refusal.details ?? {};
    this.retryAfterSeconds = refusal.retryAfterSeconds;
  }

  /** Whether the same request may succeed later. */
  get isTransient(): boolean {
    return this.status === 429 || this.status >= 500 || this.key === "idempotency.in_progress";
  }
}

interface Refusal {
  status: number;
  key: string;
  message: string;
  requestId: string;
  details: Record<string, unknown> | undefined;
  retryAfterSeconds: number | undefined;
}

/** 400, 413 and 415: the request is not in order. */
export class InvalidRequestError extends ApiError {}
/** 401: the credentials are wrong, or revoked. */
export class AuthenticationError extends ApiError {}
/** 403: a scope or a consent is missing. */
export class PermissionError extends ApiError {}
/** 404: there is no such record, or the API client may not see it. */
export class NotFoundError extends ApiError {}
/** 409: the state of the record does not allow it. */
export class ConflictError extends ApiError {}
/** 429: too many requests. */
export class RateLimitError extends ApiError {}
/** 500 and above: the service failed. */
export class ServerError extends ApiError {}

const CLASSES: Record<number, typeof ApiError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  429: RateLimitError,
};

/** The error of a refusal. */
export function apiError(
  response: Response,
  key: string,
  message: string,
  requestId: string,
  details: Record<string, unknown> | undefined,
): ApiError {
  const { status } = response;
  const Class = CLASSES[status] ?? (status >= 500 ? ServerError : ApiError);
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  const retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  return new Class({ status, key, message, requestId, details, retryAfterSeconds });
}

/** Whether an error is a refusal with this key. */
export function hasKey(error: unknown, key: ErrorKey): error is ApiError {
  return error instanceof ApiError && error.key === key;
}
