"""The Postman collection, which other programs for trying APIs read, too (Collection 2.1)."""

import json

SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

# Gets a token before the first request and when it is about to end.
TOKEN = """\
const until = Number(pm.collectionVariables.get("tokenUntil") || 0);
if (Date.now() > until && pm.variables.get("clientId")) {
  const credentials = `${pm.variables.get("clientId")}:${pm.variables.get("clientSecret")}`;
  pm.sendRequest({
    url: `${pm.variables.get("url")}/public/v1/oauth/token`,
    method: "POST",
    header: { Authorization: `Basic ${btoa(credentials)}`, "Content-Type": "application/x-www-form-urlencoded" },
    body: { mode: "urlencoded", urlencoded: [{ key: "grant_type", value: "client_credentials" }] },
  }, (error, response) => {
    if (error || response.code !== 200) throw new Error(`no token: ${error || response.text()}`);
    pm.collectionVariables.set("token", response.json().access_token);
    pm.collectionVariables.set("tokenUntil", Date.now() + (response.json().expires_in - 60) * 1000);
  });
}
"""


def collection(api):
    """The collection: a folder for each tag, a request for each operation."""
    folders = {}
    for operation in api.operations:
        folders.setdefault(operation.tag, []).append(request(operation))
    tags = {tag["name"]: tag["description"] for tag in api.document["tags"]}
    found = {
        "info": {
            "name": api.document["info"]["title"],
            "description": api.document["info"]["description"],
            "version": api.version,
            "schema": SCHEMA,
        },
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{token}}", "type": "string"}]},
        "event": [{"listen": "prerequest", "script": {"type": "text/javascript", "exec": TOKEN.splitlines()}}],
        "variable": [
            {"key": "url", "value": "http://127.0.0.1:8080"},
            {"key": "clientId", "value": ""},
            {"key": "clientSecret", "value": "", "type": "secret"},
            {"key": "deviceKey", "value": "", "type": "secret"},
            {"key": "token", "value": ""},
            {"key": "tokenUntil", "value": "0"},
        ],
        "item": [{"name": tag, "description": tags[tag], "item": items} for tag, items in folders.items()],
    }
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def request(operation):
    parts = ["public", "v1"] + [
        f":{part[1:-1]}" if part.startswith("{") else part for part in operation.path.strip("/").split("/")
    ]
    headers = []
    if operation.is_write:
        headers.append({"key": "Idempotency-Key", "value": "{{$guid}}"})
    if operation.is_for_devices:
        headers.append({"key": "x-device-key", "value": "{{deviceKey}}"})
    found = {
        "method": operation.verb,
        "description": operation.text,
        "header": headers,
        "url": {
            "raw": "{{url}}/" + "/".join(parts),
            "host": ["{{url}}"],
            "path": parts,
            "variable": [
                {"key": one["name"], "value": "", "description": one.get("description", "")}
                for one in operation.path_parameters
            ],
            "query": [
                {
                    "key": one["name"],
                    "value": "",
                    "description": one.get("description", ""),
                    # What is optional is off until somebody ticks it.
                    "disabled": not one.get("required"),
                }
                for one in operation.query
            ],
        },
    }
    if operation.is_for_devices:
        found["auth"] = {"type": "noauth"}
    if operation.body:
        raw = json.dumps(operation.body_example, indent=2, ensure_ascii=False)
        found["body"] = {"mode": "raw", "raw": raw, "options": {"raw": {"language": "json"}}}
    return {"name": operation.summary, "request": found}
