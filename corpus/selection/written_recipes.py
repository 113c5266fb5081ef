"""Recipes and selections from the fields of the import page and of the API. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.selection.expansion import OUT, Expansion
from corpus.selection.filters import Recipe, RecipeError
from corpus.selection.sub_corpus import SubCorpus

# Of the page, in the order in which it shows them.
RECIPE_FIELDS = (
    *("filter", "field", "years", "language", "min_citations", "min_characters", "min_sentences"),
    *("needs", "seeds", "hops", "direction"),
)
SUB_CORPUS_FIELDS = (
    *("sample_size", "sample_seed", "query_papers", "queries_per_field", "query_years"),
    *("query_fields", "query_seed"),
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


def written_selection(values: Mapping[str, Any]) -> Expansion | SubCorpus | None:
    """None without seeds and without the size of a sample. Raises RecipeError."""
    expansion, sub_corpus = _expansion(values), _sub_corpus(values)
    if expansion and sub_corpus:
        raise RecipeError(
            "Seeds and a sampled sub-corpus exclude each other. Leave one of them empty.", "seeds"
        )
    return expansion or sub_corpus


def _expansion(values: Mapping[str, Any]) -> Expansion | None:
    if not values["seeds"].strip():
        return None
    hops = values["hops"]
    return Expansion.parsed(
        values["seeds"],
        hops=1 if hops is None else hops,
        direction=values["direction"] or OUT,
    )


def _sub_corpus(values: Mapping[str, Any]) -> SubCorpus | None:
    if not values["sample_size"]:
        if values["query_papers"].strip() or values["queries_per_field"]:
            raise RecipeError(
                "A sampled sub-corpus needs its number of documents, such as 200000.", "sample_size"
            )
        return None
    return SubCorpus.parsed(
        values["sample_size"],
        seed=values["sample_seed"],
        query_papers=values["query_papers"],
        per_field=values["queries_per_field"] or 0,
        years=values["query_years"],
        query_fields=values["query_fields"].split(";"),
        query_seed=values["query_seed"],
    )
