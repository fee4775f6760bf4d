"""A scripted assistant: does the tasks of a table through the official SDK, as a model would that reads what tools
tell, and looks through the application API whether what was to be done is done.

    run.py <base address> <demo.json> manager|client

Prints a line a task, beginning with ok; ends with 1 where one fails.
"""

import asyncio
import base64
import hashlib
import json
import re
import secrets
import sys
import traceback
import urllib.error
import urllib.parse
import urllib.request

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

BASE, DEMO, WHO = sys.argv[1], json.load(open(sys.argv[2])), sys.argv[3]


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None


def ask(method, path, body=None, token=None, form=None):
    """A request of the application API, or of the authorization server: the status, the body, and where it leads."""
    headers = {"Accept": "application/json"}
    data = None
    if body is not None:
        data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
    if form is not None:
        data = urllib.parse.urlencode(form).encode()
    if token:
        headers["Authorization"] = "Bearer " + token
    request = urllib.request.Request(BASE + path, data, headers, method=method)
    try:
        with urllib.request.build_opener(Stay).open(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read() or b"{}"), None
    except urllib.error.HTTPError as refused:
        text = refused.read()
        told = json.loads(text) if text.startswith(b"{") else {}
        return refused.code, told, refused.headers.get("Location")


def sign_in(who):
    login = {name: DEMO[who][name] for name in ("email", "password")}
    return ask("POST", "/app/v1/auth/login", login)[1]["data"]["session"]["accessToken"]


def let_in(token, subject, modules):
    """An access token that a person has consented to: registration, authorization, approval, exchange."""
    redirect, verifier = "http://127.0.0.1:45999/callback", secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    _, client, _ = ask("POST", "/mcp/v1/oauth/register", {"client_name": "Script", "redirect_uris": [redirect]})
    resource = ask("GET", "/.well-known/oauth-protected-resource")[1]["resource"]
    query = {"client_id": client["client_id"], "redirect_uri": redirect, "response_type": "code",
             "code_challenge": challenge, "code_challenge_method": "S256", "resource": resource, "scope": " ".join(modules)}
    _, _, page = ask("GET", "/mcp/v1/oauth/authorize?" + urllib.parse.urlencode(query))
    request = page.split("request=")[1]
    _, approved, _ = ask("POST", f"/app/v1/{subject}/mcp/oauth/approve", {"requestId": request}, token)
    code = urllib.parse.parse_qs(urllib.parse.urlparse(approved["data"]["redirectTo"]).query)["code"][0]
    form = {"grant_type": "authorization_code", "client_id": client["client_id"], "code": code,
            "code_verifier": verifier, "redirect_uri": redirect, "resource": resource}
    return resource, ask("POST", "/mcp/v1/oauth/token", form=form)[1]["access_token"]


class Wrong(Exception):
    pass


def found(value, path):
    """What stands at a path such as clients.0.clientId; `*` is the number of things in a list."""
    for step in path.split(".") if path else []:
        if step == "*":
            return len(value)
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (KeyError, IndexError, TypeError):
            raise Wrong(f"there is no {path} in {json.dumps(value)[:600]}")
    return value


def holds(value, expected):
    return expected(value) if callable(expected) else value == expected


class Task:
    """One task: what it is for, the steps, and where to look for the end state.

    A step is (tool, arguments, {name: path}): the tool is called, and what stands at the paths is kept by the names,
    for later arguments that say "$name". A step that says `wrong` expects a refusal and what it tells to do next.
    """

    def __init__(self, goal, steps, *ends):
        self.goal, self.steps, self.ends = goal, steps, ends


class Step:
    def __init__(self, tool, arguments=None, keep=None, wrong=None, expect=None):
        self.tool, self.arguments, self.keep = tool, arguments or {}, keep or {}
        self.wrong, self.expect = wrong, expect or {}


def call(tool, keep=None, expect=None, **arguments):
    return Step(tool, arguments, keep, expect=expect)


def wrong(tool, next, **arguments):
    """A call that is refused, and what the refusal says to do next."""
    return Step(tool, arguments, wrong=next)


def confirmed(tool, keep=None, says=None, **arguments):
    """A call that is previewed, told to the person, and made."""
    step = Step(tool, arguments, keep)
    step.says = says or ""
    return step


class End:
    """What the application API is to say afterwards."""

    def __init__(self, path, at, expected):
        self.path, self.at, self.expected = path, at, expected


def filled(value, known):
    if isinstance(value, str):
        whole = re.fullmatch(r"\$(\w+)", value)
        return known[whole[1]] if whole else re.sub(r"\$\{(\w+)\}", lambda name: str(known[name[1]]), value)
    if isinstance(value, dict):
        return {name: filled(own, known) for name, own in value.items()}
    if isinstance(value, list):
        return [filled(own, known) for own in value]
    return value


async def use(client, tools, name, arguments):
    if name not in tools:
        raise Wrong(f"{name} is not listed")
    return await client.call_tool(name, arguments)


def refusal(told):
    return json.loads(told.content[0].text)


async def done(client, tools, step, known):
    arguments = filled(step.arguments, known)
    if hasattr(step, "says"):
        preview = await use(client, tools, "preview_" + step.tool, arguments)
        if preview.is_error:
            raise Wrong(f"preview of {step.tool} {arguments}: {refusal(preview)}")
        happens = " ".join(preview.structured_content["happens"])
        if not happens or step.says not in happens:
            raise Wrong(f"{step.tool} says {happens!r} and not {step.says!r}")
        arguments["confirmToken"] = preview.structured_content["confirmToken"]
    told = await use(client, tools, step.tool, arguments)
    if step.wrong is not None:
        if not told.is_error or step.wrong not in refusal(told)["next"]:
            raise Wrong(f"{step.tool} was to be refused with {step.wrong!r}: {told.content[-1].text[:600]}")
        return
    if told.is_error:
        raise Wrong(f"{step.tool} {arguments}: {refusal(told)}")
    for name, path in step.keep.items():
        known[name] = found(told.structured_content, path)
    for path, expected in step.expect.items():
        value = found(told.structured_content, path)
        if not holds(value, filled(expected, known)):
            raise Wrong(f"{step.tool}: {path} is {value!r}")


async def main():
    if WHO == "manager":
        from manager import MODULES, TASKS, prepare
        subject = "company"
    else:
        from client import MODULES, TASKS, prepare
        subject = "client"
    manager = sign_in("manager")

    def api(method, path, body=None):
        status, told, _ = ask(method, "/app/v1" + path, body, manager)
        if "data" not in told:
            raise Wrong(f"{method} {path}: {status} {told}")
        return told["data"]

    known = prepare(api, DEMO)
    resource, access = let_in(manager if WHO == "manager" else sign_in("client"), subject, MODULES)
    failures = 0
    async with create_mcp_http_client(headers={"Authorization": "Bearer " + access}) as http:
        async with Client(streamable_http_client(resource, http_client=http)) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            for task in TASKS:
                own = dict(known)
                try:
                    for step in task.steps:
                        await done(client, tools, step, own)
                    for end in task.ends:
                        path = "/app/v1" + filled(end.path, own)
                        status, told, _ = ask("GET", path, token=manager)
                        value = found(told.get("data", told), end.at)
                        if not holds(value, filled(end.expected, own)):
                            raise Wrong(f"{status} {path}: {end.at} is {value!r}")
                    print("ok", task.goal)
                except Wrong as why:
                    failures += 1
                    print("FAILED", task.goal, why)
                except Exception:
                    failures += 1
                    print("FAILED", task.goal, traceback.format_exc())
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    # The tables are written in the words that stand here.
    sys.modules["run"] = sys.modules["__main__"]
    asyncio.run(main())
