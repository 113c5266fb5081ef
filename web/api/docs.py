"""Postprocessing of the OpenAPI document: add the error responses and group the operations."""

from __future__ import annotations

from typing import Any

ERROR = {
    "type": "object",
    "description": "What went wrong. Every error of the API has this form.",
    "properties": {
        "detail": {"type": "string", "description": "For people."},
        "code": {"type": "string", "description": "For programs."},
        "fields": {"type": "object", "description": "With `invalid`: the errors of each field."},
        "findings": {
            "type": "array",
            "items": {"type": "object"},
            "description": "With `gate_closed`: the failed checks of the release.",
        },
    },
    "required": ["detail", "code"],
}
ALWAYS = {
    "400": "The request is malformed, for example with a character that cannot be stored.",
    "401": "The request has no valid token or session.",
    "403": "The one-time password of this account was not changed yet.",
    "404": "Not found, or not permitted for you.",
}
WITH_QUERY = {"400": "The request is invalid."}
WITH_BODY = {
    "400": "The request is invalid.",
    "403": "A session without its CSRF token, or a one-time password that was not changed yet.",
    "409": "The current state of the collection does not allow this.",
    "413": "The body is too large.",
    "415": "The media type of the body is not supported.",
}


def add_errors(
    result: dict[str, Any], generator: Any, request: Any, public: bool
) -> dict[str, Any]:
    """A postprocessing hook of drf-spectacular."""
    result.setdefault("components", {}).setdefault("schemas", {})["Error"] = ERROR
    for operations in result.get("paths", {}).values():
        for method, operation in operations.items():
            for status, reason in _errors(method, operation).items():
                operation["responses"].setdefault(status, _answer(reason))
    return result


def close_bodies(
    result: dict[str, Any], generator: Any, request: Any, public: bool
) -> dict[str, Any]:
    """A postprocessing hook: a body has no other keys than those of its schema."""
    for operations in result.get("paths", {}).values():
        for operation in operations.values():
            for content in operation.get("requestBody", {}).get("content", {}).values():
                name = content["schema"]["$ref"].rpartition("/")[2]
                result["components"]["schemas"][name]["additionalProperties"] = False
    return result


def group(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """A postprocessing hook: group operations by the part of the address after the collection."""
    for path, operations in result.get("paths", {}).items():
        after = path.partition("{slug}/")[2].partition("/")[0]
        for operation in operations.values():
            operation["tags"] = [after or "collections"]
    return result


def _errors(method: str, operation: dict[str, Any]) -> dict[str, str]:
    takes_query = any(parameter["in"] == "query" for parameter in operation.get("parameters", []))
    if method == "delete":
        return ALWAYS | {"409": WITH_BODY["409"]}
    return ALWAYS | (WITH_BODY if method == "post" else WITH_QUERY if takes_query else {})


def _answer(description: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Error"}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
