"""Recipes and expansions from the fields of the import page and of the API. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.selection.expansion import OUT, Expansion
from corpus.selection.filters import Recipe

# Of the page, in the order in which it shows them.
RECIPE_FIELDS = (
    *("filter", "field", "years", "language", "min_citations", "min_characters", "min_sentences"),
    *("needs", "seeds", "hops", "direction"),
)


def written_recipe(values: Mapping[str, Any]) -> Recipe:
    """Semicolons separate names, because fields of study contain commas. Raises RecipeError."""
    return Recipe.parsed(
        fields_of_study=values["field"].split(";"),
        years=values["years"],
        languages=values["language"].replace(",", ";").split(";"),
        has_text=values.get("has_text", False),
        has_full_text=values.get("has_full_text", False),
        min_citations=values["min_citations"] or 0,
        min_characters=values["min_characters"] or 0,
        min_sentences=values["min_sentences"] or 0,
        named=values["filter"],
    )


def written_expansion(values: Mapping[str, Any]) -> Expansion | None:
    """None without seeds. Raises RecipeError."""
    if not values["seeds"].strip():
        return None
    hops = values["hops"]
    return Expansion.parsed(
        values["seeds"],
        hops=1 if hops is None else hops,
        direction=values["direction"] or OUT,
    )
