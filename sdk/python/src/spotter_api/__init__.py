"""The Public API of Spotter, the back office for fitness coaching businesses."""

from __future__ import annotations

from typing import Any

from . import _types as types
from ._errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    ConnectionError,
    InvalidRequestError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    ServerError,
    SignatureError,
    SpotterError,
)
from ._http import Answer, Call, Http, List, ResponseInfo
from ._operations import Operations
from ._webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AuthenticationError",
    "ConflictError",
    "ConnectionError",
    "InvalidRequestError",
    "List",
    "NotFoundError",
    "PermissionError",
    "RateLimitError",
    "ResponseInfo",
    "ServerError",
    "SignatureError",
    "Spotter",
    "SpotterError",
    "response_of",
    "types",
    "verify_webhook",
]


class Spotter(Operations):
    """A client of the Public API: each operation is a method of its name. Threads may share it.

    What is absent of ``url``, ``client_id`` and ``client_secret`` is read from the variables SPOTTER_URL,
    SPOTTER_CLIENT_ID and SPOTTER_CLIENT_SECRET. ``timeout`` is in seconds and of one try; ``max_retries`` counts the
    tries after the first; ``device_key`` is for the operations of access devices.
    """

    def __init__(
        self,
        url: str | None = None,
        client_id: str | None = None,
        client_secret: str | None = None,
        *,
        scopes: list[types.Scope] | None = None,
        device_key: str | None = None,
        max_retries: int = 3,
        timeout: float = 30.0,
        transport: Any = None,
    ) -> None:
        self._http = Http(
            url=url,
            client_id=client_id,
            client_secret=client_secret,
            scopes=scopes,
            device_key=device_key,
            max_retries=max_retries,
            timeout=timeout,
            transport=transport,
        )

    def _call(self, call: Call) -> Any:
        return self._http.call(call)

    def _list(self, call: Call, items: str) -> List[Any, Any]:
        return List(self._http.call, call, items)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Spotter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def response_of(data: Any) -> ResponseInfo | None:
    """What came with an answer: request id, rate limit, and whether it was replayed."""
    return data.response if isinstance(data, Answer) else None
