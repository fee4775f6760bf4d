"""Against an installation that SPOTTER_URL, SPOTTER_CLIENT_ID and SPOTTER_CLIENT_SECRET name, such as a demo."""

import hashlib
import hmac
import json
import time
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx

import spotter_api
from spotter_api import Spotter, response_of, verify_webhook

FINE = (200, {"data": {"client": {"clientId": "1"}}, "meta": {"requestId": "r", "rateLimit": {}}}, {})


def refusal(status, key, **headers):
    return (status, {"error": {"key": key, "message": key}}, headers)


class Answers:
    """A server that answers from a list, and gives tokens."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.sent = []

    def __call__(self, request):
        if request.url.path.endswith("/oauth/token"):
            self.sent.append("token")
            return httpx.Response(200, json={"access_token": f"t{len(self.sent)}", "expires_in": 3600})
        self.sent.append(request.headers)
        if not self.answers:
            raise httpx.ConnectError("no route")
        status, body, headers = self.answers.pop(0)
        return httpx.Response(status, json=body, headers=headers)

    def client(self, **settings):
        return Spotter("http://x", "a", "b", transport=httpx.MockTransport(self), **settings)


class Live(unittest.TestCase):
    def setUp(self):
        self.spotter = Spotter()
        self.addCleanup(self.spotter.close)

    def test_a_client_is_created_once_read_changed_and_found(self):
        key = f"sdk-{uuid.uuid4()}"
        body = {"firstName": "Ann", "lastName": "Vos", "externalId": key}
        client = self.spotter.create_client(body, idempotency_key=key)["client"]
        again = self.spotter.create_client(body, idempotency_key=key)
        self.assertEqual(again["client"]["clientId"], client["clientId"])
        self.assertEqual((response_of(again).replayed, response_of(again).status), (True, 201))
        changed = self.spotter.update_client(client["clientId"], {"lastName": "Visser"})
        self.assertEqual(changed["client"]["lastName"], "Visser")
        found = self.spotter.get_client(client["clientId"])
        self.assertEqual(found["client"]["firstName"], "Ann")
        self.assertEqual(len(response_of(found).request_id), 36)
        with self.assertRaises(spotter_api.ConflictError) as caught:
            self.spotter.create_client({**body, "firstName": "Bea"}, idempotency_key=key)
        self.assertEqual(caught.exception.key, "idempotency.conflict")

    def test_a_list_is_a_page_or_every_item(self):
        page = self.spotter.list_clients(limit=7, member_status="active").page()
        self.assertEqual(len(page["clients"]), 7)
        ids = {client["clientId"] for client in self.spotter.list_clients(limit=90, member_status="active")}
        self.assertEqual(len(ids), page["total"])
        archived = self.spotter.list_clients(archived=True).page()
        self.assertLess(archived["total"], page["total"])

    def test_the_log_has_what_was_announced(self):
        client = self.spotter.create_client({"firstName": "Log"})["client"]
        event = next(iter(self.spotter.list_events(type="client.created")))
        self.assertEqual(event["data"]["clientId"], client["clientId"])
        self.assertEqual(self.spotter.get_event(event["id"])["event"], event)

    def test_refusals_are_errors_of_a_class_and_a_key(self):
        for call, kind, key in [
            (lambda: self.spotter.get_client("019a8f3c2b7d4e5f60718293"), spotter_api.NotFoundError, "PUBLIC_API_CLIENT_NOT_FOUND"),
            (lambda: self.spotter.create_client({"nickname": "B"}), spotter_api.InvalidRequestError, "request.invalid"),
            (lambda: Spotter(scopes=["clients:read"]).create_client({"firstName": "A"}), spotter_api.PermissionError, "scopes.insufficient"),
            (lambda: Spotter(client_secret="fsps_wrong").list_clients().page(), spotter_api.AuthenticationError, "invalid_client"),
        ]:
            with self.assertRaises(kind) as caught:
                call()
            self.assertEqual(caught.exception.key, key)
        with self.assertRaises(spotter_api.ConnectionError):
            Spotter("http://127.0.0.1:9", max_retries=0).list_clients().page()


class Retries(unittest.TestCase):
    def test_what_may_succeed_later_is_tried_again_with_the_same_key(self):
        now = {"retry-after": "0"}
        server = Answers(refusal(429, "rate_limit.exceeded", **now), refusal(409, "idempotency.in_progress", **now), (502, {}, {}), FINE)
        server.client().create_client({"firstName": "A"})
        keys = [headers["idempotency-key"] for headers in server.sent[1:]]
        self.assertEqual((len(keys), len(set(keys))), (4, 1))

    def test_no_wait_is_longer_than_a_minute_and_nothing_is_tried_forever(self):
        server = Answers(refusal(429, "rate_limit.exceeded", **{"retry-after": "3600"}))
        with self.assertRaises(spotter_api.RateLimitError) as caught:
            server.client().list_clients().page()
        self.assertEqual(caught.exception.retry_after, 3600)
        down = Answers()
        with self.assertRaises(spotter_api.ConnectionError):
            down.client(max_retries=1).list_clients().page()
        self.assertEqual(len(down.sent), 3)

    def test_a_revoked_token_is_replaced_once_and_one_request_serves_all(self):
        server = Answers(refusal(401, "auth.invalid_token"), *[FINE] * 9)
        spotter = server.client()
        spotter.get_client("1")
        shown = [one if one == "token" else one["authorization"] for one in server.sent]
        self.assertEqual(shown, ["token", "Bearer t1", "token", "Bearer t3"])
        fresh = Answers(*[FINE] * 8)
        client = fresh.client()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(client.get_client, "12345678"))
        self.assertEqual(fresh.sent.count("token"), 1)


class Webhooks(unittest.TestCase):
    def test_deliveries_are_verified(self):
        secret, now = "whsec_test", int(time.time())
        data = {"b": "é\u2028", "a": [1.5, {"d": None, "c": True}]}
        body = json.dumps({"type": "client.created", "id": "e1", "occurredAt": "2026-03-29T01:00:00.000Z", "data": data})
        canonical = '{"data":{"a":[1.5,{"c":true,"d":null}],"b":"é\u2028"},"id":"e1","occurredAt":"2026-03-29T01:00:00.000Z","type":"client.created"}'

        def headers(at, *others):
            digits = hmac.new(secret.encode(), f"{at}.d1.e1.{canonical}".encode(), hashlib.sha256).hexdigest()
            return {
                "X-Service-Webhook-Timestamp": str(at),
                "X-Service-Webhook-Delivery": "d1",
                "X-Service-Webhook-Signature": ", ".join([*others, f"v1={digits}"]),
            }

        self.assertEqual(verify_webhook(body, headers(now, "v1=" + "0" * 64), secret)["type"], "client.created")
        self.assertEqual(verify_webhook(body.encode(), headers(now), secret)["id"], "e1")
        for wrong in [
            (body, headers(now - 301), secret),
            (body, headers(now), "whsec_other"),
            (body.replace("1.5", "1.6"), headers(now), secret),
            (body, {}, secret),
            ("x", headers(now), secret),
            ("null", headers(now), secret),
        ]:
            with self.assertRaises(spotter_api.SignatureError):
                verify_webhook(*wrong)


if __name__ == "__main__":
    unittest.main()
