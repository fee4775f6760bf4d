"""Does what a person does in a browser: opens the address, signs in, and allows. What the SDKs ask of
whoever keeps credentials stands here, too."""
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

ADDRESS, EMAIL, PASSWORD = sys.argv[1:4]
SUBJECT = sys.argv[4] if len(sys.argv) > 4 else "coach"
CALLBACK = "http://127.0.0.1:45998/callback"
# Where the assistant's metadata document is, if it is known by one.
DOCUMENT = os.environ.get("CLIENT_METADATA_URL")


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def go(url, fields=None, cookie=""):
    data = urllib.parse.urlencode(fields).encode() if fields else None
    request = urllib.request.Request(url, data, {"Cookie": cookie} if cookie else {})
    try:
        reply = urllib.request.build_opener(Stay).open(request, timeout=20)
    except urllib.error.HTTPError as error:
        reply = error
    return reply.headers, reply.read().decode()


def consent(address):
    page = urllib.parse.urljoin(address, go(address)[0]["Location"])
    request = urllib.parse.parse_qs(urllib.parse.urlparse(page).query)["request"][0]
    sign_in = [("request", request), ("email", EMAIL), ("password", PASSWORD), ("subject", SUBJECT)]
    headers, _ = go(urllib.parse.urljoin(page, "/mcp/v1/oauth/consent/sign-in"), sign_in)
    cookie = headers["Set-Cookie"].split(";")[0]
    _, shown = go(page, cookie=cookie)
    fields = [("request", request), ("csrf", re.search(r'name="csrf" value="([^"]+)"', shown)[1]), ("decision", "approve")]
    fields += [("module", key) for key in re.findall(r'name="module" value="([^"]+)"', shown)]
    headers, told = go(urllib.parse.urljoin(page, "/mcp/v1/oauth/consent/decide"), fields, cookie)
    if not headers["Location"]:
        raise RuntimeError(told)
    return urllib.parse.parse_qs(urllib.parse.urlparse(headers["Location"]).query)


class Storage:
    """Keeps what the SDK is told, and remembers what the browser was sent back with."""

    def __init__(self):
        self.tokens = self.client = self.answer = None
        self.consents = 0

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client

    async def redirect(self, url):
        self.consents += 1
        self.answer = consent(url)


def tool_for(tools):
    names = [tool.name for tool in tools]
    return "list_clients" if "list_clients" in names else "get_client"


def done(version, tools, name, storage, before):
    assert storage.consents == 1, "asked for consent again"
    assert storage.tokens.refresh_token != before, "was not refreshed"
    if DOCUMENT:
        assert storage.client is None or storage.client.client_id == DOCUMENT, storage.client
        version += ", by its document"
    print(f"ok {version}: {len(tools)} tools, {name} called, token refreshed")
