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
LINK = {"$ref": "#/components/schemas/Error"}
ALWAYS = {
    "400": "The request is malformed, for example with a character that cannot be stored.",
    "401": "The request has no valid token or session. The token may be expired or revoked.",
    "403": "The scope of the token does not allow this, or the one-time password of this account "
    "was not changed yet.",
    "404": "Not found, or not permitted for you.",
}
WITH_QUERY = {"400": "The request is invalid."}
WITH_BODY = {
    "400": "The request is invalid.",
    "403": "The scope of the token does not allow this, a session sent no CSRF token, or the "
    "one-time password of this account was not changed yet.",
    "409": "The current state of the collection does not allow this.",
    "413": "The body is too large.",
    "415": "The media type of the body is not supported.",
}
SENDING_MAILS = {  # what posts to `invitations/`
    "429": "Invitations were just sent. Wait, then try again.",
    "503": "The mail server failed. Try again later.",
}


def complete(
    result: dict[str, Any], generator: object, request: object, public: bool
) -> dict[str, Any]:
    """A hook of drf-spectacular: add the error responses, close the bodies, group the operations.

    A body has no other keys than those of its schema. The group of an operation is the part of its
    address after the collection.
    """
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    schemas["Error"] = ERROR
    for path, operations in result.get("paths", {}).items():
        after = path.partition("{slug}/")[2].partition("/")[0]
        for method, operation in operations.items():
            operation["tags"] = [after or "collections"]
            takes_query = any(field["in"] == "query" for field in operation.get("parameters", []))
            for status, reason in _errors(method, after, takes_query).items():
                answer = {"description": reason, "content": {"application/json": {"schema": LINK}}}
                operation["responses"].setdefault(status, answer)
            for content in operation.get("requestBody", {}).get("content", {}).values():
                name = content["schema"]["$ref"].rpartition("/")[2]
                schemas[name]["additionalProperties"] = False
    return result


def _errors(method: str, group: str, takes_query: bool) -> dict[str, str]:
    if method == "delete":
        return ALWAYS | {"409": WITH_BODY["409"]}
    if method == "post":
        return ALWAYS | WITH_BODY | (SENDING_MAILS if group == "invitations" else {})
    return ALWAYS | (WITH_QUERY if takes_query else {})
