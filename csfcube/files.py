"""Reading the files of a release. Errors name the file and the place."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from csfcube.records import CSFCubeError


class Checkout:
    """A checkout of the release that remembers the SHA-256 of every file read from it."""

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise CSFCubeError(str(path), "", "no such folder; give a checkout of the release")
        self.path = path
        self.sha256: dict[str, str] = {}

    def names(self, pattern: str) -> list[str]:
        """Files matching the pattern, by their path from the folder, in the order of bytes."""
        return sorted(path.relative_to(self.path).as_posix() for path in self.path.glob(pattern))

    def text(self, name: str) -> str:
        """A file's text without a byte order mark and with line feeds as line ends.

        Only carriage returns before line feeds are removed. Other line separators stay, because
        they belong to sentences.
        """
        try:
            content = (self.path / name).read_bytes()
        except OSError as error:
            raise CSFCubeError(
                name, "", f"cannot be read from {self.path}: {error.strerror or error}"
            ) from error
        self.sha256[name] = hashlib.sha256(content).hexdigest()
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise CSFCubeError(name, f"line {line}", f"not UTF-8 ({error.reason})") from error
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            raise CSFCubeError(name, f"line {line}", "contains a NUL character")
        return text.replace("\r\n", "\n")

    def json_object(self, name: str) -> dict[str, Any]:
        """The object in a JSON file. No key may occur twice."""
        text = self.text(name)
        try:
            content = json.loads(text, object_pairs_hook=_without_repetition)
        except json.JSONDecodeError as error:
            place = f"line {error.lineno}, column {error.colno}"
            raise CSFCubeError(name, place, f"not JSON ({error.msg})") from error
        except RepeatedKey as error:
            raise CSFCubeError(name, str(error), "this key occurs twice") from error
        except (ValueError, RecursionError) as error:  # a number of 5,000 digits; 10,000 brackets
            raise CSFCubeError(name, "", f"not JSON that can be read ({error})") from error
        if not isinstance(content, dict) or not content:
            raise CSFCubeError(name, "", "not a JSON object of paper ids, or an empty one")
        return content


class RepeatedKey(Exception):
    """A key occurs twice in a JSON object."""


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise RepeatedKey(key)
        content[key] = value
    return content
