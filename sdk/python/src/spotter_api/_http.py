"""Makes requests: with a token, again where that helps, and out of their envelope."""

from __future__ import annotations

import os
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx

from ._errors import ApiError, ConnectionError, SpotterError, class_of

WAIT_MAX = 60.0
"""The longest time that a Retry-After is waited for, in seconds."""

RENEWED_BEFORE = 60.0
"""Seconds before its end at which a token is renewed."""


@dataclass(frozen=True)
class Call:
    """A request of an operation."""

    operation: str
    method: str
    path: str
    query: dict[str, Any] | None = None
    body: Any = None
    idempotency_key: str | None = None
    is_for_devices: bool = False
    timeout: float | None = None

    @staticmethod
    def part(value: object) -> str:
        """A value as a part of a path."""
        return quote(str(value), safe="")


@dataclass(frozen=True)
class ResponseInfo:
    """What comes with an answer beside its data."""

    status: int
    request_id: str
    rate_limit: dict[str, int]
    replayed: bool | None
    """Whether it is the stored answer of an earlier request with the same key; None of reads."""


class Answer(dict[str, Any]):
    """The data of an answer, and what came with it."""

    response: ResponseInfo


class Http:
    """The connection to one installation."""

    def __init__(
        self,
        *,
        url: str | None,
        client_id: str | None,
        client_secret: str | None,
        scopes: list[Any] | None,
        device_key: str | None,
        max_retries: int,
        timeout: float,
        transport: Any,
    ) -> None:
        url = url or os.environ.get("SPOTTER_URL")
        if not url:
            raise SpotterError("there is no url, and no variable SPOTTER_URL")
        self._url = url.rstrip("/").removesuffix("/public/v1") + "/public/v1"
        self._client_id = client_id or os.environ.get("SPOTTER_CLIENT_ID")
        self._client_secret = client_secret or os.environ.get("SPOTTER_CLIENT_SECRET")
        self._scopes = scopes
        self._device_key = device_key
        self._max_retries = max_retries
        self._client = httpx.Client(timeout=timeout, transport=transport, headers={"Accept": "application/json"})
        self._token: tuple[str, float] | None = None
        self._renewal = threading.Lock()

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def call(self, call: Call) -> Any:
        """The data of an operation's answer."""
        headers = {}
        if call.method != "GET":
            headers["Idempotency-Key"] = call.idempotency_key or str(uuid.uuid4())
        renewed = False
        attempt = 0
        while True:
            if call.is_for_devices:
                if not self._device_key:
                    raise SpotterError("there is no device_key")
                headers["x-device-key"] = self._device_key
            else:
                headers["Authorization"] = f"Bearer {self._access_token()}"
            try:
                return self._read(call, self._send(call, headers))
            except (ApiError, ConnectionError) as error:
                # A token may have been revoked before its time, as by a new secret.
                if isinstance(error, ApiError) and error.status == 401 and not call.is_for_devices and not renewed:
                    renewed, self._token = True, None
                    continue
                wait = self._wait(error, attempt)
                if wait is None:
                    raise
            attempt += 1
            time.sleep(wait)

    def _wait(self, error: SpotterError, attempt: int) -> float | None:
        """How long to wait before another try; None where another would not help."""
        if attempt >= self._max_retries:
            return None
        backoff: float = min(0.5 * 2**attempt, 8.0) * random.uniform(0.5, 1.0)
        if not isinstance(error, ApiError):
            return backoff
        if not error.is_transient:
            return None
        if error.retry_after is None:
            return backoff
        return error.retry_after if error.retry_after <= WAIT_MAX else None

    def _access_token(self) -> str:
        """A token that is good for a while; one request for it serves all threads that wait."""
        with self._renewal:
            if self._token and time.monotonic() < self._token[1]:
                return self._token[0]
            if not self._client_id or not self._client_secret:
                raise SpotterError(
                    "there are no credentials: give client_id and client_secret, or set SPOTTER_CLIENT_ID and SPOTTER_CLIENT_SECRET"
                )
            attempt = 0
            while True:
                try:
                    value, seconds = self._request_token(self._client_id, self._client_secret)
                    break
                except (ApiError, ConnectionError) as error:
                    wait = self._wait(error, attempt)
                    if wait is None:
                        raise
                attempt += 1
                time.sleep(wait)
            self._token = (value, time.monotonic() + seconds - RENEWED_BEFORE)
            return value

    def _request_token(self, client_id: str, client_secret: str) -> tuple[str, float]:
        form = {"grant_type": "client_credentials"}
        if self._scopes:
            form["scope"] = " ".join(self._scopes)
        try:
            response = self._client.post(f"{self._url}/oauth/token", data=form, auth=(client_id, client_secret))
        except httpx.TransportError as error:
            raise ConnectionError(f"{self._url} did not answer: {error}") from error
        answer = _json(response)
        if response.is_success and "access_token" in answer:
            return answer["access_token"], float(answer["expires_in"])
        raise class_of(response.status_code)(
            answer.get("error_description") or "there is no token",
            status=response.status_code,
            key=answer.get("error") or "",
            retry_after=_retry_after(response),
        )

    def _send(self, call: Call, headers: dict[str, str]) -> httpx.Response:
        query = {name: _text(value) for name, value in (call.query or {}).items() if value is not None}
        timeout = httpx.USE_CLIENT_DEFAULT if call.timeout is None else call.timeout
        try:
            return self._client.request(
                call.method, self._url + call.path, params=query, json=call.body, headers=headers, timeout=timeout
            )
        except httpx.TransportError as error:
            raise ConnectionError(f"{self._url} did not answer: {error}") from error

    def _read(self, call: Call, response: httpx.Response) -> Any:
        envelope = _json(response)
        meta = envelope.get("meta") or {}
        if response.is_success and isinstance(envelope.get("data"), dict):
            answer = Answer(envelope["data"])
            answer.response = ResponseInfo(
                status=response.status_code,
                request_id=meta.get("requestId", ""),
                rate_limit=meta.get("rateLimit", {}),
                replayed=meta.get("idempotency", {}).get("replayed"),
            )
            return answer
        error = envelope.get("error") or {}
        raise class_of(response.status_code)(
            error.get("message") or f"{call.operation}: the answer has no envelope",
            status=response.status_code,
            key=error.get("key") or "",
            request_id=meta.get("requestId", ""),
            details=error.get("details"),
            retry_after=_retry_after(response),
        )


def _json(response: httpx.Response) -> dict[str, Any]:
    """The answer's object; empty for that of a proxy before the service."""
    try:
        found = response.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _retry_after(response: httpx.Response) -> float | None:
    try:
        return float(response.headers["retry-after"])
    except (KeyError, ValueError):
        return None


def _text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_text(one) for one in value] if isinstance(value, (list, tuple)) else value


Result = TypeVar("Result")
Item = TypeVar("Item")


class List(Generic[Result, Item]):
    """A list: iterated, every item of every page; ``page()`` is the page that was asked for, with its totals."""

    def __init__(self, send: Callable[[Call], Any], call: Call, items: str) -> None:
        self._send = send
        self._call = call
        self._items = items

    def page(self) -> Result:
        """The page that was asked for."""
        return self._send(self._call)  # type: ignore[no-any-return]

    def pages(self) -> Iterator[Result]:
        """Every page, by the cursor of the one before."""
        call = self._call
        while True:
            page = self._send(call)
            yield page
            cursor = page.get("nextCursor")
            if not cursor:
                return
            call = replace(call, query={**(call.query or {}), "page": None, "cursor": cursor})

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page[self._items]  # type: ignore[index]
