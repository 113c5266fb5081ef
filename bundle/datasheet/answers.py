"""The kinds of answers of a datasheet: plain text, a day, or a list of authors. Pure."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from bundle.datasheet.questions import QUESTIONS, AnswerKind

LONGEST = 20_000  # characters of a text
LONGEST_LINE = 500
ORCID = re.compile(r"(\d{4})-(\d{4})-(\d{4})-(\d{3}[\dX])")
DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
WEB_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


class InvalidAnswer(ValueError):
    """The message says what is wrong and how to fix it."""


class Author(NamedTuple):
    """An author as typed for publication. `given` is empty for an institution."""

    family: str
    given: str = ""
    affiliation: str = ""
    orcid: str = ""

    @property
    def name(self) -> str:
        return f"{self.family}, {self.given}" if self.given else self.family


def tidied(key: str, text: str) -> str:
    """The answer as it is stored; "" is none. Lines end in a line feed, without space at the end.

    Raises:
        InvalidAnswer: it is too long, or not of its question's kind.
    """
    kind = QUESTIONS[key].kind
    lines = [line.rstrip() for line in INVISIBLE.sub("", text).splitlines()]
    tidy = "\n".join(lines).strip()
    if kind in (AnswerKind.LINE, AnswerKind.DATE):
        tidy = " ".join(tidy.split())
    longest = LONGEST if kind in (AnswerKind.TEXT, AnswerKind.AUTHORS) else LONGEST_LINE
    if len(tidy) > longest:
        raise InvalidAnswer(f"The answer has {len(tidy):,} characters. Use at most {longest:,}.")
    if kind is AnswerKind.DATE and tidy:
        _check_date(tidy)
    if kind is AnswerKind.AUTHORS:
        read_authors(tidy)
    return tidy


def _check_date(text: str) -> None:
    try:
        valid = date.fromisoformat(text).isoformat() == text
    except ValueError:
        valid = False
    if not valid:
        raise InvalidAnswer(f"Invalid day {text!r}. Write it like 2026-06-30.")


def read_authors(text: str) -> tuple[Author, ...]:
    """The authors, one on each line.

    Raises:
        InvalidAnswer: a line has no name, too many parts, or an invalid ORCID.
    """
    lines = ((number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip())
    return tuple(_read_author(number, line) for number, line in lines)


def _read_author(number: int, line: str) -> Author:
    parts = [" ".join(part.split()) for part in line.split(";")]
    if len(parts) > 3:
        raise InvalidAnswer(
            f"Line {number} has {len(parts)} parts. Write name; affiliation; ORCID, and no other "
            "semicolons."
        )
    name, affiliation, orcid = [*parts, "", ""][:3]
    family, _, given = (part.strip() for part in name.partition(","))
    if not family:
        raise InvalidAnswer(f"Line {number} has no name. Write family name, comma, given names.")
    orcid = re.sub(r"^https?://orcid\.org/", "", orcid)
    if orcid and not is_orcid(orcid):
        raise InvalidAnswer(
            f"Line {number}: invalid ORCID {orcid!r}. Write it like 0000-0002-1825-0097."
        )
    return Author(family, given, affiliation, orcid)


def is_orcid(text: str) -> bool:
    """Return whether the text is an ORCID with the right check digit (ISO 7064, MOD 11-2)."""
    if not ORCID.fullmatch(text):
        return False
    digits = text.replace("-", "")
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    return digits[-1] == "0123456789X"[(12 - total % 11) % 11]


def doi_of(text: str) -> str:
    """The DOI that an answer is, without prefix; "" if it is none."""
    found = DOI.fullmatch(text.strip())
    return found[1] if found else ""


def web_address_of(text: str) -> str:
    """The web address that an answer is, also of a DOI; "" if it is neither."""
    if doi := doi_of(text):
        return f"https://doi.org/{doi}"
    found = WEB_ADDRESS.fullmatch(text.strip())
    return found[0] if found else ""


def keywords_of(text: str) -> list[str]:
    """The keywords of an answer, each once."""
    return list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
