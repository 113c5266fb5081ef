"""What the OpenAPI document says beside what the views say: errors, all alike, and groups."""

from __future__ import annotations

from typing import Any

ERROR = {
    "type": "object",
    "description": "What went wrong. Every error of the API has this form.",
    "properties": {
        "detail": {"type": "string", "description": "For people."},
        "code": {"type": "string", "description": "For programs."},
        "fields": {"type": "object", "description": "With `invalid`: field to what is wrong."},
        "findings": {
            "type": "array",
            "items": {"type": "object"},
            "description": "With `gate_closed`: what stands in the way of a release.",
        },
    },
    "required": ["detail", "code"],
}
ALWAYS = {
    "400": "The request is malformed: it contains a character that cannot be stored, for example.",
    "401": "No token and no session.",
    "403": "The one-time password of this account was not changed yet.",
    "404": "There is nothing here, or not for you.",
}
WITH_QUERY = {"400": "The request is wrong."}
WITH_BODY = {
    "400": "The request is wrong.",
    "403": "By session and without its CSRF token, or with a one-time password not changed yet.",
    "409": "Not as things stand.",
    "413": "The body is too large.",
    "415": "The body is of another media type.",
}


def add_errors(
    result: dict[str, Any], generator: Any, request: Any, public: bool
) -> dict[str, Any]:
    """A postprocessing hook of drf-spectacular."""
    result.setdefault("components", {}).setdefault("schemas", {})["Error"] = ERROR
    for operations in result.get("paths", {}).values():
        for method, operation in operations.items():
            for status, why in _errors(method, operation).items():
                operation["responses"].setdefault(status, _answer(why))
    return result


def group(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """A postprocessing hook: what follows the collection in an address groups the operations."""
    for path, operations in result.get("paths", {}).items():
        after = path.partition("{slug}/")[2].partition("/")[0]
        for operation in operations.values():
            operation["tags"] = [after or "collections"]
    return result


def _errors(method: str, operation: dict[str, Any]) -> dict[str, str]:
    takes_query = any(one["in"] == "query" for one in operation.get("parameters", []))
    return ALWAYS | (WITH_BODY if method == "post" else WITH_QUERY if takes_query else {})


def _answer(description: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Error"}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
