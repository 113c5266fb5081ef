"""The prompts: versioned templates, and what is sent for a pair. Pure.

A template is a file of `templates/`, and its version is in its name. A version that was ever
released never changes; another wording is another version.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, NamedTuple

from annotation.presentation import Presentation, ShownText, ShownTopic
from corpus.digests import canonical_json

if TYPE_CHECKING:
    from annotation.models import GuidelineText

FOLDER = Path(__file__).parent / "templates"
MARK, NO_MARK = "» ", "  "
MESSAGE_BYTES = 64  # more than what a server's own chat format adds to the two messages


class Criterion(NamedTuple):
    key: str
    meaning: str


@dataclass(frozen=True)
class PromptTemplate:
    """A version of a template. `highest_grade` is the scale that it is for; None is for each."""

    name: str
    version: int
    title: str
    about: str
    highest_grade: int | None
    candidate: str
    uses_marks: bool
    criteria: tuple[Criterion, ...]
    system: str
    user: str
    sha256: str

    @property
    def text(self) -> str:
        """The wording, with the places of the texts."""
        return f"{self.system}\n\n{self.user}"

    @property
    def criteria_keys(self) -> tuple[str, ...]:
        return tuple(criterion.key for criterion in self.criteria)

    def fits(self, highest_grade: int) -> bool:
        return self.highest_grade in (None, highest_grade)


class Prompt(NamedTuple):
    """The two messages that are sent for a pair."""

    system: str
    user: str

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of what is sent."""
        return hashlib.sha256(canonical_json([self.system, self.user])).hexdigest()

    @property
    def most_tokens(self) -> int:
        """An upper bound of its tokens: a token stands for at least one byte."""
        return len(self.system.encode()) + len(self.user.encode()) + MESSAGE_BYTES


@cache
def templates() -> dict[tuple[str, int], PromptTemplate]:
    """All versions of all templates, by name and version."""
    read = (_read(path) for path in sorted(FOLDER.glob("*.toml")))
    return {(template.name, template.version): template for template in read}


def latest_templates() -> list[PromptTemplate]:
    """The latest version of each template, by name."""
    latest = {name: template for (name, _), template in sorted(templates().items())}
    return list(latest.values())


def _read(path: Path) -> PromptTemplate:
    content = path.read_bytes()
    values = tomllib.loads(content.decode())
    criteria = (Criterion(each["key"], each["meaning"]) for each in values.get("criteria", ()))
    template = PromptTemplate(
        name=values["name"],
        version=values["version"],
        title=values["title"],
        about=values["about"].strip(),
        highest_grade=values.get("highest_grade"),
        candidate=values["candidate"],
        uses_marks=values["uses_marks"],
        criteria=tuple(criteria),
        system=values["system"].strip(),
        user=values["user"].strip(),
        sha256=hashlib.sha256(content).hexdigest(),
    )
    assert path.stem == f"{template.name}-{template.version}", path.name
    return template


def prompt_of(
    template: PromptTemplate,
    pair: Presentation,
    *,
    facet: str,
    guideline: GuidelineText,
    swapped: bool = False,
) -> Prompt:
    """The prompt for a pair: of both texts, what a judge is shown, and nothing else.

    `facet` is the facet's name, "" in a collection without facets. With `swapped`, the candidate
    comes before the query. The tags around a text have a digest of both texts, so no text can
    contain the tag that ends it.
    """
    tag = hashlib.sha256(pair.query.canonical + pair.candidate.canonical).hexdigest()[:8]
    has_marks = template.uses_marks and bool(facet)
    texts = [
        _tagged("query", tag, pair.query, has_marks),
        _tagged(template.candidate, tag, pair.candidate, has_marks),
    ]
    values = {
        "texts": "\n\n".join(reversed(texts) if swapped else texts),
        "marks": _about_marks(facet) if has_marks else "",
        "instructions": guideline["instructions"].strip(),
        "grades": "\n\n".join(_grades(guideline)),
        "criteria": "\n".join(f"- {each.key}: {each.meaning}" for each in template.criteria),
        "answer": json.dumps(dict.fromkeys(template.criteria_keys, 0)).replace("0", "G"),
    }
    return Prompt(template.system, Template(template.user).substitute(values))


def _tagged(name: str, tag: str, text: ShownText, has_marks: bool) -> str:
    lines = "\n".join(_lines(text, has_marks))
    return f"<{name} {tag}>\n{lines}\n</{name} {tag}>"


def _lines(text: ShownText, has_marks: bool) -> Iterator[str]:
    yield f"Title: {text.title}"
    if isinstance(text, ShownTopic):  # all of it is on the facet, so nothing is marked
        if text.description:
            yield f"Description: {text.description}"
        if text.narrative:
            yield f"Narrative: {text.narrative}"
        return
    for sentence in text.sentences:
        mark = MARK if sentence.in_facet else NO_MARK
        yield f"{mark}{sentence.text}" if has_marks else sentence.text


def _about_marks(facet: str) -> str:
    return (
        f"A sentence that begins with {MARK.strip()} is about the facet “{facet}”; a guideline "
        "calls it bold. Judge what these sentences say. The others are context.\n"
    )


def _grades(guideline: GuidelineText) -> Iterator[str]:
    for grade in guideline["grades"]:
        parts = [f"{grade['grade']} ({grade['name']}): {grade['definition']}"]
        parts += [part for part in (grade.get("detail"), grade.get("example")) if part]
        yield "\n".join(parts)
