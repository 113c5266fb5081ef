"""Recipes: the rules by which an import leaves documents out. Pure.

`csfcube` is the corpus filter of CSFCube's datasheet (Mysore et al., 2021, "If the dataset is a
sample from a larger set"). It keeps abstracts of 3 to 20 sentences. Tokens are separated by white
space. Sentences are those of the file or of the rule in docs/formats.md. CSFCube split sentences
with NLTK, which gives other sentences in some cases.

`mdcr` is the corpus filter of MDCR (Medić & Šnajder, SDP 2022, §3.2): documents with a year, a
title, an abstract of at least 30 characters and at least 3 outgoing citations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

from corpus.formats.document_lines import DocumentRecord
from corpus.text.languages import guess_language, language_code
from web.errors import UserFacingError
from web.words import count_noun

FEWEST_SENTENCES = 3
MOST_SENTENCES = 20
MOST_TOKENS = 80
FEWEST_TOKENS = 4
MDCR_CHARACTERS = 30
MDCR_CITATIONS = 3
HIGHEST_MINIMUM = 1_000_000
MOST_NAMES = 50  # fields or languages of a recipe
_YEARS = re.compile(r"(\d{1,4})?\s*(-|–)?\s*(\d{1,4})?")


class RecipeError(UserFacingError, ValueError):
    """A recipe cannot be read. The message says which value is wrong and how to write it.

    `field` is the field of forms that has the value.
    """

    def __init__(self, message: str, field: str) -> None:
        self.field = field
        super().__init__(message)


class FilterRule(NamedTuple):
    """A rule: the reason in words, and the test whether a document breaks it."""

    name: str
    is_broken: Callable[[DocumentRecord], bool]


class Years(NamedTuple):
    """The years from `first` to `last`, both included. None means no limit."""

    first: int | None
    last: int | None

    def __str__(self) -> str:
        if self.first == self.last:
            return str(self.first)
        return (
            f"{'' if self.first is None else self.first}-{'' if self.last is None else self.last}"
        )

    @property
    def outside(self) -> str:
        """The words for a year outside of the range."""
        if self.first is None:
            return f"a year after {self.last}"
        if self.last is None:
            return f"a year before {self.first}"
        return f"a year other than {self}".replace("-", "–")

    def contain(self, year: int) -> bool:
        after_first = self.first is None or year >= self.first
        return after_first and (self.last is None or year <= self.last)


@dataclass(frozen=True)
class Recipe:
    """The requirements for a document to be imported. The default keeps every document.

    `fields_of_study` and `languages` name alternatives: a document needs one of them. Fields are
    compared without regard to case. `named` is a key of FILTERS, or "".
    """

    fields_of_study: tuple[str, ...] = ()
    years: Years | None = None
    languages: tuple[str, ...] = ()
    has_text: bool = False
    has_full_text: bool = False
    min_citations: int = 0
    min_characters: int = 0
    min_sentences: int = 0
    named: str = ""

    @classmethod
    def parsed(
        cls,
        *,
        fields_of_study: Sequence[str] = (),
        years: str = "",
        languages: Sequence[str] = (),
        has_text: bool = False,
        has_full_text: bool = False,
        min_citations: int = 0,
        min_characters: int = 0,
        min_sentences: int = 0,
        named: str = "",
    ) -> Recipe:
        """The recipe that a person writes. Raises RecipeError."""
        if named and named not in FILTERS:
            raise RecipeError(f"Unknown filter {named!r}. Use {' or '.join(FILTERS)}.", "filter")
        for name, field, minimum in (
            ("outgoing citations", "min_citations", min_citations),
            ("characters", "min_characters", min_characters),
            ("sentences", "min_sentences", min_sentences),
        ):
            if not 0 <= minimum <= HIGHEST_MINIMUM:
                raise RecipeError(
                    f"The fewest {name} must be from 0 to {HIGHEST_MINIMUM:,}, got {minimum:,}.",
                    field,
                )
        return cls(
            fields_of_study=_distinct(fields_of_study, "field"),
            years=parse_years(years),
            languages=_distinct(
                [_language(language) for language in _distinct(languages, "language")], "language"
            ),
            has_text=has_text,
            has_full_text=has_full_text,
            min_citations=min_citations,
            min_characters=min_characters,
            min_sentences=min_sentences,
            named=named,
        )

    @property
    def as_json(self) -> Mapping[str, object]:
        """The values other than the defaults, as JSON types. `from_json` reads them."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values = {name: value for name, value in values.items() if value}
        if self.years is not None:
            values["years"] = str(self.years)
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Recipe:
        return cls.parsed(**values)

    @property
    def abstract_characters(self) -> int | None:
        """The first characters of an abstract that decide, or None if its whole text does."""
        if self.languages or self.min_sentences or self.named == "csfcube":
            return None
        return max(1, self.min_characters, MDCR_CHARACTERS if self.named == "mdcr" else 0)

    @property
    def rules(self) -> tuple[FilterRule, ...]:
        """In the order in which they are applied; a document counts under the first it breaks."""
        rules = (*self._rules(), *FILTERS.get(self.named, ()))
        return tuple({rule.name: rule for rule in rules}.values())

    def _rules(self) -> Iterator[FilterRule]:
        if self.fields_of_study:
            wanted = {field.casefold() for field in self.fields_of_study}
            yield FilterRule(
                f"no field {_alternatives(self.fields_of_study)}",
                lambda record: wanted.isdisjoint(field.casefold() for field in record.fields),
            )
        if self.years is not None:
            years = self.years
            yield NO_YEAR
            yield FilterRule(years.outside, lambda record: not years.contain(record.year or 0))
        if self.languages:
            codes = frozenset(self.languages)
            yield FilterRule("a language that is unknown", lambda record: not language_of(record))
            yield FilterRule(
                f"a language other than {_alternatives(self.languages)}",
                lambda record: language_of(record) not in codes,
            )
        if self.has_text:
            yield NO_TITLE
            yield FilterRule("no abstract", lambda record: not record.sentences)
        if self.has_full_text:
            yield FilterRule("no full text", lambda record: not record.has_full_text)
        if self.min_citations:
            yield _fewer_citations(self.min_citations)
        if self.min_characters:
            yield _fewer_characters(self.min_characters)
        if self.min_sentences:
            yield _fewer_sentences(self.min_sentences)


def parse_years(text: str) -> Years | None:
    """Years such as "1995-2019", "1995-", "-2019" or "2019"; None for "". Raises RecipeError."""
    if not text.strip():
        return None
    match = _YEARS.fullmatch(text.strip())
    first, dash, last = match.groups() if match else (None, None, None)
    if (first is None and last is None) or (last and not dash):
        raise RecipeError(
            f"{text!r} names no years. Write them as 1995-2019, 1995-, -2019 or 2019.", "years"
        )
    years = Years(int(first) if first else None, int(last) if last else None)
    if not dash:
        years = Years(years.first, years.first)
    if years.first is not None and years.last is not None and years.first > years.last:
        raise RecipeError(f"{text!r} ends before it begins. Write the earlier year first.", "years")
    return years


def language_of(record: DocumentRecord) -> str:
    """The code of the language that the source names, or else of the one guessed; "" if unclear."""
    return language_code(record.language) or guess_language(record.title, *record.sentences)


def broken_rule(record: DocumentRecord, rules: Sequence[FilterRule]) -> FilterRule | None:
    """The first rule that the document breaks, or None."""
    return next((rule for rule in rules if rule.is_broken(record)), None)


def _distinct(names: Sequence[str], field: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(" ".join(name.split()) for name in names if name.strip()))
    if len(found) > MOST_NAMES:
        raise RecipeError(f"{len(found):,} names are too many. Use at most {MOST_NAMES}.", field)
    return found


def _language(text: str) -> str:
    code = language_code(text)
    if not code:
        raise RecipeError(
            f"Unknown language {text!r}. Use a code of two or three letters, such as en or deu.",
            "language",
        )
    return code


def _alternatives(names: Sequence[str]) -> str:
    return " or ".join(names)


def _tokens(sentence: str) -> int:
    return len(sentence.split())


def _characters(record: DocumentRecord) -> int:
    """Of the abstract: its sentences with a space between them."""
    return sum(map(len, record.sentences)) + max(0, len(record.sentences) - 1)


def _fewer_citations(least: int) -> FilterRule:
    return FilterRule(
        f"fewer than {count_noun(least, 'outgoing citation')}",
        lambda record: len(record.references) < least or len({*record.references}) < least,
    )


def _fewer_characters(least: int) -> FilterRule:
    return FilterRule(
        f"an abstract of fewer than {count_noun(least, 'character')}",
        lambda record: _characters(record) < least,
    )


def _fewer_sentences(least: int) -> FilterRule:
    return FilterRule(
        f"fewer than {count_noun(least, 'sentence')}", lambda record: len(record.sentences) < least
    )


NO_YEAR = FilterRule("no year", lambda record: record.year is None)
NO_TITLE = FilterRule("no title", lambda record: not record.title.strip())
CSFCUBE = (
    _fewer_sentences(FEWEST_SENTENCES),
    FilterRule(
        f"more than {MOST_SENTENCES} sentences",
        lambda record: len(record.sentences) > MOST_SENTENCES,
    ),
    FilterRule(
        f"a sentence of more than {MOST_TOKENS} tokens",
        lambda record: any(
            # n tokens with the spaces between them have at least 2n − 1 characters.
            len(sentence) > 2 * MOST_TOKENS and _tokens(sentence) > MOST_TOKENS
            for sentence in record.sentences
        ),
    ),
    FilterRule(
        f"no sentence of {FEWEST_TOKENS} tokens or more",
        lambda record: all(_tokens(sentence) < FEWEST_TOKENS for sentence in record.sentences),
    ),
)
MDCR = (NO_YEAR, NO_TITLE, _fewer_characters(MDCR_CHARACTERS), _fewer_citations(MDCR_CITATIONS))
FILTERS: dict[str, tuple[FilterRule, ...]] = {"csfcube": CSFCUBE, "mdcr": MDCR}
EVERYTHING = Recipe()
