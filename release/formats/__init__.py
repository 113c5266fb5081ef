"""The formats of a release, each a function from tables to files: `{name in the zip: bytes}`.

@release_format("trec")
def trec(tables: Tables) -> Files: ...
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from release.tables import Tables

Files = dict[str, bytes]
Format = Callable[[Tables], Files]
FORMATS: dict[str, Format] = {}
_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def release_format(name: str) -> Callable[[Format], Format]:
    def register(write: Format) -> Format:
        FORMATS[name] = write
        return write

    return register


def write_formats(tables: Tables) -> Files:
    files: Files = {}
    for write in FORMATS.values():
        files |= write(tables)
    return files


def json_lines(rows: Iterable[object]) -> bytes:
    return "".join(f"{_LINE.encode(row)}\n" for row in rows).encode()


def json_file(value: object) -> bytes:
    """Indented, with sorted keys: PostgreSQL keeps no order of keys, so none is relied on."""
    return (json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n").encode()


from release.formats import beir, csfcube, csv_files, huggingface, models, trec  # noqa: E402, F401  (they register themselves)
