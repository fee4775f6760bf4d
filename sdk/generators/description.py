"""The API description as the generators need it: operations with their parts, and the schemas of records and events."""

import re

VERBS = ("get", "post", "put", "patch", "delete")


def snake(name):
    """`memberStatus` as `member_status`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def camel(name):
    """`list_clients` as `listClients`."""
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def pascal(name):
    """`list_clients` as `ListClients`."""
    name = camel(name)
    return name[:1].upper() + name[1:]


class Operation:
    """One operation: where it is, what it takes, and what it answers."""

    def __init__(self, api, path, verb, row):
        self.id = row["operationId"]
        self.verb = verb.upper()
        self.path = path
        self.tag = row["tags"][0]
        self.summary = row["summary"]
        self.text = row["description"]
        self.is_write = verb != "get"
        self.is_for_devices = "deviceKey" in row["security"][0]
        parameters = [api.resolve(one) for one in row.get("parameters", [])]
        self.path_parameters = [one for one in parameters if one["in"] == "path"]
        self.query = [one for one in parameters if one["in"] == "query"]
        content = row.get("requestBody", {}).get("content", {}).get("application/json")
        self.body = content["schema"] if content else None
        self.body_example = content.get("example") if content else None
        self.body_required = row.get("requestBody", {}).get("required", False)
        success = next(answer for status, answer in row["responses"].items() if status.startswith("2"))
        answer = success["content"]["application/json"]
        self.data = answer["schema"]["properties"]["data"]
        self.example = answer.get("example")
        # A list goes on by its cursor, and has its items in the one array beside it.
        properties = self.data.get("properties", {})
        arrays = [name for name, schema in properties.items() if schema.get("type") == "array"]
        self.items = arrays[0] if "nextCursor" in properties and len(arrays) == 1 else None

    @property
    def query_required(self):
        return any(one.get("required") for one in self.query)


class Description:
    """The description, read once."""

    def __init__(self, document):
        self.document = document
        self.version = document["info"]["version"]
        self.schemas = document["components"]["schemas"]
        self.operations = [
            Operation(self, path, verb, row)
            for path, rows in document["paths"].items()
            for verb, row in rows.items()
            # The SDKs get their tokens by themselves.
            if verb in VERBS and row["operationId"] != "issue_token"
        ]
        self.events = {
            name: hook["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]["data"]
            for name, hook in document["webhooks"].items()
        }

    def resolve(self, value):
        """What a reference stands for."""
        if "$ref" not in value:
            return value
        found = self.document
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        return found


def reference(schema):
    """The name of the schema that is referred to, if it is a reference."""
    return schema["$ref"].rsplit("/", 1)[1] if "$ref" in schema else None


def kinds(schema):
    """The types of a schema, without null, and whether null is one."""
    kind = schema.get("type", [])
    kind = [kind] if isinstance(kind, str) else kind
    return [one for one in kind if one != "null"], "null" in kind
