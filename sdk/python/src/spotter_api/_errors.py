"""What this library raises."""

from __future__ import annotations

from typing import Any


class SpotterError(Exception):
    """Anything that this library raises."""


class ConnectionError(SpotterError):
    """The service was not reached, or its answer broke off."""


class SignatureError(SpotterError):
    """A webhook delivery that is not the service's."""


class ApiError(SpotterError):
    """The service refused a request.

    ``key`` is the stable key of the error: match on it, never on the message. ``details`` has ``field`` and ``rule`` of
    invalid input, and ``requiredScopes`` of a missing scope. The operator's log has ``request_id``, too.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        key: str,
        request_id: str = "",
        details: dict[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{message} ({key}, status {status})")
        self.message = message
        self.status = status
        self.key = key
        self.request_id = request_id
        self.details = details or {}
        self.retry_after = retry_after

    @property
    def is_transient(self) -> bool:
        """Whether the same request may succeed later."""
        return self.status == 429 or self.status >= 500 or self.key == "idempotency.in_progress"


class InvalidRequestError(ApiError):
    """400, 413 and 415: the request is not in order."""


class AuthenticationError(ApiError):
    """401: the credentials are wrong, or revoked."""


class PermissionError(ApiError):
    """403: a scope or a consent is missing."""


class NotFoundError(ApiError):
    """404: there is no such record, or the API client may not see it."""


class ConflictError(ApiError):
    """409: the state of the record does not allow it."""


class RateLimitError(ApiError):
    """429: too many requests."""


class ServerError(ApiError):
    """500 and above: the service failed."""


_CLASSES: dict[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    429: RateLimitError,
}


def class_of(status: int) -> type[ApiError]:
    """The class of a refusal with this status."""
    return _CLASSES.get(status, ServerError if status >= 500 else ApiError)
