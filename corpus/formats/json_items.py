"""The objects of a JSON file, one after the other: JSON Lines, or one array of objects. Pure.

An array is not parsed as a whole. It is cut into its items, so memory does not grow with the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from corpus.formats.decompression import MEGABYTE, UnreadableLine

LONGEST_ITEM = 16 * MEGABYTE
ARRAY = re.compile(rb"\s*\[\s*(?:[{\]]|\Z)")  # how one begins; a table may begin with "[" too
# The characters that count between items, inside of an item, and inside of a string.
_BETWEEN = re.compile(rb'["\[\]{},\n]')
_INSIDE = re.compile(rb'["\[\]{}\n]')
_STRING = re.compile(rb'["\\\n]')


def json_objects(lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """The line and the JSON text of each object in the lines of a file. Blank lines are skipped.

    Raises UnreadableLine: an array has no end, or one of its items is longer than LONGEST_ITEM.
    """
    for number, line in lines:
        if line.strip():
            found = chain([(number, line)], lines)
            if ARRAY.match(line):
                yield from array_items(found)
            else:
                yield from (item for item in found if item[1].strip())


def array_items(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """The items of the array in these lines, each with the line on which it begins.

    Raises UnreadableLine as `json_objects`.
    """
    depth, is_string, skipped = 0, False, 0
    item = bytearray()
    line = 0
    for number, part in lines:
        line = line or number  # a line that is too long comes in parts
        place, skipped = skipped, 0
        start = 0
        while match := _pattern(depth, is_string=is_string).search(part, place):
            place, found = match.end(), match.group()
            if found == b"\n":
                line += 1
            elif found == b'"':
                is_string = not is_string
            elif found == b"\\":
                place += 1
                skipped = max(0, place - len(part))  # the escaped byte is in the next part
            elif found in b"[{":
                depth += 1
                start = place if depth == 1 else start
            elif found in b"]}":
                depth -= 1
            if (found == b"," and depth == 1) or (found in b"]}" and depth == 0):
                item += part[start : match.start()]
                start = place
                if item.strip():
                    yield line - item.lstrip().count(b"\n"), bytes(item)
                item.clear()
            if depth == 0 and found in b"]}":
                _check_end(chain([(line, part[place:])], lines))
                return
        item += part[start:]
        if len(item) > LONGEST_ITEM:
            megabytes = LONGEST_ITEM // MEGABYTE
            raise UnreadableLine(
                line, f"an object of the array is longer than {megabytes} MB. Split it."
            )
    raise UnreadableLine(line, "the array has no end. Copy the file again.")


def _pattern(depth: int, *, is_string: bool) -> re.Pattern[bytes]:
    if is_string:
        return _STRING
    return _BETWEEN if depth < 2 else _INSIDE


def _check_end(lines: Iterable[tuple[int, bytes]]) -> None:
    for number, text in lines:
        if text.strip():
            raise UnreadableLine(number, "text follows the end of the array. Remove it.")
