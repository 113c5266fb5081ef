"""Documents of a data set that ir_datasets names (MacAvaney et al., SIGIR 2021). Pure.

ir_datasets is an optional extra: it brings dozens of data sets and fetches them from where their
owners keep them, which is why nothing here is imported before it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corpus.formats.decompression import Meter
from corpus.formats.document_lines import (
    BadLine,
    DocumentLine,
    DocumentValues,
    FileItem,
    Reading,
    checked_lines,
)
from corpus.formats.sources import SourceError

PREFIX = "ir_datasets:"
EXTRA = ".[ir-datasets]"
_TITLES = ("title", "headline")
_TEXTS = ("abstract", "text", "body", "contents", "main_content")
_FIELDS = ("fields", "fields_of_study", "mag_field_of_study")
_CITED = ("references", "outbound_citations", "cited")


@dataclass(frozen=True)
class DatasetSource:
    """The documents of a data set object of ir_datasets, numbered from 1."""

    name: str
    dataset: Any
    unit: str = "documents"
    format_name: str = "ir_datasets"

    @property
    def files(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def size(self) -> int | None:
        count = self.dataset.docs_count()
        return count if isinstance(count, int) and count > 0 else None

    def lines(
        self, meter: Meter | None = None, reading: Reading | None = None
    ) -> Iterator[DocumentLine | BadLine]:
        return checked_lines(self._items(meter or Meter()), self.name, reading=reading)

    def _items(self, meter: Meter) -> Iterator[FileItem]:
        for number, document in enumerate(self.dataset.docs_iter(), start=1):
            meter.count(0, number)
            yield FileItem(number, as_document(document))


def open_dataset(name: str) -> DatasetSource:
    """The documents of the data set that ir_datasets calls `name`.

    Raises:
        SourceError: ir_datasets is not installed, knows no such data set, or it has no documents.
    """
    try:
        import ir_datasets
    except ImportError as error:
        raise SourceError(
            f"{PREFIX}{name} needs the package ir_datasets. In the folder of Qrelsmith, run: "
            f'pip install "{EXTRA}"'
        ) from error
    try:
        dataset = ir_datasets.load(name)
    except KeyError as error:
        raise SourceError(
            f"ir_datasets knows no data set {name!r}; its catalogue lists what there is."
        ) from error
    if not dataset.has_docs():
        raise SourceError(f"{PREFIX}{name} has no documents; name the corpus it belongs to.")
    return DatasetSource(f"{PREFIX}{name}", dataset)


def as_document(document: Any) -> DocumentValues:
    """The object of docs/formats.md for a document of ir_datasets, which is a named tuple.

    Every data set has fields of its own. The title and the text are those fields that are usually
    called so; where no field is, the text is what ir_datasets itself takes for the default.
    """
    title = _first(document, _TITLES)
    text = _first(document, _TEXTS)
    if text is None and hasattr(document, "default_text"):
        text = document.default_text()
    return {
        "docno": document.doc_id,
        "title": title or "",
        "abstract": text or "",
        "year": _year(getattr(document, "year", None)),
        "authors": _texts(getattr(document, "authors", None)),
        "references": _texts(_first(document, _CITED)),
        "fields": _texts(_first(document, _FIELDS)),
    }


def _first(document: Any, names: tuple[str, ...]) -> Any:
    values = (getattr(document, name, None) for name in names)
    return next((value for value in values if value is not None), None)


def _year(value: Any) -> int | None:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() and 1 <= int(text) <= 9999 else None


def _texts(value: Any) -> list[str] | None:
    is_valid = isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)
    return list(value) if is_valid else None
