"""The fields of a manifest, and messages for other kinds of files. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bundle.names import FORMAT

USAGE = (
    "rebuild_pools needs the manifest of a pool build or of a pool round (from the page Pools, the "
    "API or export_manifest), or the zip of a release."
)


@dataclass(frozen=True)
class Each:
    """A JSON object with any keys, or a list, whose values all have one shape."""

    shape: Any
    container: type = dict


@dataclass(frozen=True)
class Maybe:
    """A field that may be missing; with `null`, a required field that may be null."""

    shape: Any
    null: bool = False


TEXTS = Each(str, list)
POOL: Mapping[str, Any] = {
    "order": TEXTS,
    "size": int,
    "shortfall": Each(int),
    "depth": Each(int),
    "sha256": str,
    "documents": Maybe(TEXTS),
    "topic": Maybe(bool),
}

MANIFEST: Mapping[str, Any] = {
    "format": int,
    "collection": str,
    "strategy": str,
    "parameters": dict,
    "forced": TEXTS,
    "excluded": TEXTS,
    "only": TEXTS,
    "seed": str,
    "depth": int,
    "corpus": {"documents": int, "sha256": str},
    "runs": Each(
        {
            "use": str,
            "name": str,
            "kind": str,
            "parameters": dict,
            "depth": Maybe(int, null=True),
            "sha256": str,
            "also_ranked": TEXTS,
            "not_ranked": TEXTS,
        },
        list,
    ),
    "pools": {
        "count": int,
        "sha256": str,
        "query_papers": Each(POOL),
    },
    "versions": Each(str),
    "sha256": str,
}
ROUND_MANIFEST: Mapping[str, Any] = {
    "format": int,
    "collection": str,
    "round": int,
    "reason": str,
    "choice": str,
    "depth": int,
    "seed": str,
    "parameters": dict,
    "only": Maybe(Each(Maybe(TEXTS, null=True)), null=True),
    "labels_sha256": str,
    "corpus": {"documents": int, "sha256": str},
    "previous": {"builds": TEXTS, "round": Maybe(str, null=True)},
    "runs": Each({"name": str, "kind": str, "sha256": str, "whole_sha256": str}, list),
    "pools": {
        "count": int,
        "sha256": str,
        "query_papers": Each(
            {
                **POOL,
                "topics": Maybe(TEXTS),
                "outside": Maybe(TEXTS),
                "before": {"size": int, "sha256": str},
            }
        ),
    },
    "versions": Each(str),
    "sha256": str,
}
NAMES = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}


def problems(value: object, shape: Any, path: str = "") -> Iterator[str]:
    """The problems of a JSON value, each with its path first."""
    if isinstance(shape, Maybe):
        if not (shape.null and value is None):
            yield from problems(value, shape.shape, path)
    elif isinstance(shape, Each):
        yield from _item_problems(value, shape, path)
    elif isinstance(shape, Mapping):
        yield from _fields(value, shape, path)
    elif type(value) is not shape:  # `isinstance` would accept true as a whole number
        yield f"{path} must be {NAMES[shape]}, got {value!r}"


def _item_problems(value: object, shape: Each, path: str) -> Iterator[str]:
    if not isinstance(value, shape.container):
        yield f"{path} must be {NAMES[shape.container]}, got {value!r}"
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from problems(item, shape.shape, f"{path}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from problems(item, shape.shape, f"{path}[{number}]")


def _fields(value: object, shape: Mapping[str, Any], path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path} must be an object, got {value!r}"
        return
    for key, field_shape in shape.items():
        field_path = f"{path}.{key}" if path else key
        if key in value:
            yield from problems(value[key], field_shape, field_path)
        elif not isinstance(field_shape, Maybe) or field_shape.null:
            yield f"{field_path} is missing"
    for key in value.keys() - shape.keys():
        yield f"{f'{path}.{key}' if path else key} is not a field of a manifest"


def kind_of_json(value: object) -> str:
    """A sentence about a JSON value that is not the manifest of a pool build."""
    match value:
        case {"format": format_name} if format_name == FORMAT:
            return "This is the manifest of a release, which has no runs. Give the release's zip."
        case {"manifest": dict(), "candidates": list()}:
            return "This is one pool from the API, not a manifest. Give the manifest of its build."
        case {"docno": _, "title": _}:
            return "This is a document or a file of documents, not a manifest."
        case {"format": _, "runs": _}:
            return "This manifest has no pools."
        case {"files": dict()}:
            return "This is the manifest of imported pools, which cannot be rebuilt."
        case dict():
            return "This JSON object is not a manifest of pools."
    return "This is not a JSON object, and a manifest is one."


def kind_of_bytes(start: bytes) -> str:
    """A sentence about a file that is neither JSON nor a zip, by its first bytes."""
    if not start.strip():
        return "The file is empty."
    if start.startswith(b"\x1f\x8b"):
        return "This file is compressed with gzip. Decompress it first."
    columns = start.splitlines()[0].split()
    if len(columns) == 6 and columns[1] == b"Q0":
        return "This is a run, not a manifest."
    if len(columns) in (3, 4) and columns[-1].isdigit():
        return "These are qrels, not a manifest."
    if start.lstrip().startswith(b'{"docno"'):
        return "This is a file of documents, not a manifest."
    return "This is not JSON, and a manifest is JSON."
