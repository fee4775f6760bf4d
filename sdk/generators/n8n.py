"""What the node of n8n offers: operations by resource, with their fields."""

import json

from description import kinds


def description(api):
    """The node's properties as n8n shows them, and where each operation goes."""
    operations = [one for one in api.operations if not one.is_for_devices]
    resources = list(dict.fromkeys(one.tag for one in operations))
    properties = [
        {
            "displayName": "Resource",
            "name": "resource",
            "type": "options",
            "noDataExpression": True,
            "options": [{"name": tag, "value": tag} for tag in sorted(resources)],
            "default": "Clients",
        }
    ]
    for tag in resources:
        own = [one for one in operations if one.tag == tag]
        properties.append(
            {
                "displayName": "Operation",
                "name": "operation",
                "type": "options",
                "noDataExpression": True,
                "displayOptions": {"show": {"resource": [tag]}},
                "options": [
                    {"name": one.summary, "value": one.id, "action": one.summary, "description": first_line(one.text)}
                    for one in sorted(own, key=lambda one: one.summary)
                ],
                "default": own[0].id,
            }
        )
    for one in operations:
        properties += fields(one)
    events = [
        {"name": name, "value": name, "description": hook["post"]["description"].split(".")[0]}
        for name, hook in api.document["webhooks"].items()
    ]
    routes = {one.id: route(one) for one in operations}
    return json.dumps({"properties": properties, "operations": routes, "events": events}, indent=1, ensure_ascii=False) + "\n"


def first_line(text):
    return text.split("\n")[0]


def route(one):
    found = {"method": one.verb, "path": one.path}
    if one.items:
        found["items"] = one.items
    return found


def fields(one):
    show = {"show": {"operation": [one.id]}}
    found = []
    for parameter in one.path_parameters:
        found.append(
            {
                "displayName": title(parameter["name"]),
                "name": f"path_{parameter['name']}",
                "type": "number" if kinds(parameter["schema"])[0] == ["integer"] else "string",
                "required": True,
                "default": 1 if kinds(parameter["schema"])[0] == ["integer"] else "",
                "description": parameter.get("description", ""),
                "displayOptions": show,
            }
        )
    asked = [parameter for parameter in one.query if parameter["name"] not in ("page", "limit", "cursor") or not one.items]
    for parameter in (parameter for parameter in asked if parameter.get("required")):
        found.append({**field(parameter), "name": f"query_{parameter['name']}", "required": True, "displayOptions": show})
    optional = [field(parameter) for parameter in asked if not parameter.get("required")]
    if one.items:
        found.append(
            {
                "displayName": "Return All",
                "name": "returnAll",
                "type": "boolean",
                "default": False,
                "description": "Whether to return every record, or up to a limit",
                "displayOptions": show,
            }
        )
        found.append(
            {
                "displayName": "Limit",
                "name": "limit",
                "type": "number",
                "typeOptions": {"minValue": 1},
                "default": 50,
                "description": "Max number of records to return",
                "displayOptions": {"show": {"operation": [one.id], "returnAll": [False]}},
            }
        )
    if optional:
        found.append(
            {
                "displayName": "Filters" if one.items else "Options",
                "name": "query",
                "type": "collection",
                "placeholder": "Add",
                "default": {},
                "options": sorted(optional, key=lambda own: own["displayName"]),
                "displayOptions": show,
            }
        )
    if one.body:
        found.append(
            {
                "displayName": "Body",
                "name": "body",
                "type": "json",
                "required": one.body_required,
                "default": json.dumps(one.body_example, indent=2, ensure_ascii=False) if one.body_required else "{}",
                "description": "The request's fields, as the reference of the API describes them",
                "displayOptions": show,
            }
        )
    return found


def field(parameter):
    schema = parameter["schema"]
    found, _ = kinds(schema)
    own = {"displayName": title(parameter["name"]), "name": parameter["name"], "description": parameter.get("description", "")}
    if "enum" in schema and found != ["array"]:
        words = [word for word in schema["enum"] if word is not None]
        return {**own, "type": "options", "options": [{"name": word, "value": word} for word in words], "default": words[0]}
    if found == ["boolean"]:
        return {**own, "type": "boolean", "default": False}
    if found in (["integer"], ["number"]):
        return {**own, "type": "number", "default": schema.get("default", schema.get("minimum", 0))}
    if schema.get("format") == "date-time":
        return {**own, "type": "dateTime", "default": ""}
    return {**own, "type": "string", "default": ""}


def title(name):
    """`memberStatus` as `Member Status`, as n8n writes names."""
    words = "".join(f" {c}" if c.isupper() else c for c in name).split()
    return " ".join("ID" if word.lower() == "id" else word.capitalize() for word in words)
