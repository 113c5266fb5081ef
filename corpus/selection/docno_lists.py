"""Lists of docnos that a person gives, one docno on each line. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from corpus.selection.filters import RecipeError


def parse_docnos(text: str, noun: str, field: str) -> tuple[str, ...]:
    """Distinct docnos in their order; blank lines are skipped. Raises RecipeError."""
    docnos = tuple(dict.fromkeys(filter(None, map(str.strip, text.splitlines()))))
    wrong = next((docno for docno in docnos if len(docno.split()) > 1), None)
    if wrong is not None:
        raise RecipeError(
            f"The {noun} {wrong[:60]!r} has a space. Write one docno on each line.", field
        )
    return docnos


def docnos_sha256(docnos: Iterable[str]) -> str:
    """A digest that stands for a long list, in any order."""
    return hashlib.sha256("\n".join(sorted(docnos)).encode()).hexdigest()
