"""Deliveries of webhooks: whether they are the service's."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any, cast

from ._errors import SignatureError
from ._types import SpotterEvent


def verify_webhook(body: bytes | str, headers: Mapping[str, Any], secret: str, *, tolerance: float = 300.0) -> SpotterEvent:
    """The event of a delivery; raises SignatureError for one that is not the service's, or is too old.

    ``body`` is as it was received, not parsed and written again; ``secret`` is the subscription's signing secret,
    ``whsec_…``; ``tolerance`` is the age in seconds that a delivery may have.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        event = json.loads(body)
        timestamp = given["x-service-webhook-timestamp"]
        delivery = given["x-service-webhook-delivery"]
        signatures = given["x-service-webhook-signature"]
        age = abs(time.time() - int(timestamp))
        event_id = event["id"]
    except (ValueError, KeyError, TypeError) as error:
        raise SignatureError(f"the delivery is not complete: {error}") from error
    if age > tolerance:
        raise SignatureError("the timestamp is stale")
    canonical = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    signed = f"{timestamp}.{delivery}.{event_id}.{canonical}".encode()
    expected = b"v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    # Two signatures for a while after the secret was replaced.
    if not any(hmac.compare_digest(expected, one.strip().encode()) for one in signatures.split(",")):
        raise SignatureError("the signature is wrong")
    return cast(SpotterEvent, event)
