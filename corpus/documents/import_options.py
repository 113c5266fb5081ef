"""The options of an import of documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corpus.formats.sources import AUTO
from corpus.selection.expansion import Expansion
from corpus.selection.filters import EVERYTHING, Recipe
from corpus.selection.sub_corpus import SubCorpus

MAX_SKIPPED = 10_000


@dataclass(frozen=True)
class DocumentImportOptions:
    """The options of an import, and the parameters of its job.

    `format_name` and `columns` say how files are read, as for `open_source`. `prefix` is put before
    every docno. A `selection` leaves documents out by their citations: the rules of the recipe
    apply after an Expansion and before a SubCorpus. Up to `skip_bad` invalid lines are skipped and
    reported; one more stops the import. A `dry_run` checks every line, and does not compare with
    the collection.
    """

    format_name: str = AUTO
    columns: str = ""
    prefix: str = ""
    recipe: Recipe = EVERYTHING
    selection: Expansion | SubCorpus | None = None
    skip_bad: int = 0
    dry_run: bool = False

    @property
    def parameters(self) -> Mapping[str, object]:
        values: dict[str, object] = {
            "format": self.format_name,
            "columns": self.columns,
            "prefix": self.prefix,
            "recipe": self.recipe.as_json,
            "skip_bad": self.skip_bad,
        }
        if self.dry_run:
            values["dry_run"] = True
        if self.selection is not None:
            values[self.selection.name] = self.selection.as_json
        return values

    @property
    def recorded(self) -> Mapping[str, object]:
        """Differences from an import that keeps everything, for the history of the corpus."""
        values = dict(self.recipe.as_json)
        if self.selection is not None:
            values[self.selection.name] = self.selection.summary
        if self.prefix:
            values["prefix"] = self.prefix
        return values

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> DocumentImportOptions:
        """From the parameters of a job; a value that is not there has its default."""
        selections = [
            kind.from_json(parameters[kind.name])
            for kind in (Expansion, SubCorpus)
            if kind.name in parameters
        ]
        return cls(
            format_name=parameters.get("format", AUTO),
            columns=parameters.get("columns", ""),
            prefix=parameters.get("prefix", ""),
            recipe=Recipe.from_json(parameters.get("recipe", {})),
            selection=selections[0] if selections else None,
            skip_bad=parameters.get("skip_bad", 0),
            dry_run=parameters.get("dry_run", False),
        )


DEFAULTS = DocumentImportOptions()
