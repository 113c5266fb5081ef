"""JSON Lines of other projects: S2ORC, BEIR, PyTerrier and Pyserini. Pure.

Each function converts the object of one line to the keys of docs/formats.md. `document_record`
checks the values afterwards. The formats allow a number as id, and no title or abstract.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.formats.document_lines import DocumentValues, LineKeys, Problem
from corpus.text.sentences import split_sentences

_LABEL_ENDING = "_label"  # "method_label", as in CSFCube's predictions


def from_s2orc(content: Mapping[str, object]) -> DocumentValues:
    """A paper of S2ORC (Lo et al., ACL 2020) or of a file made from it.

    Year, venue, authors and abstract may stand in an object `metadata`, as in CSFCube's file.
    """
    metadata = content.get("metadata")
    values = {**metadata, **content} if isinstance(metadata, dict) else content
    return {
        "docno": _id(_first(values, "paper_id", "corpusid", "corpus_id")),
        "title": _first(values, "title") or "",
        **_abstract(_first(values, "abstract"), values.get("pred_labels")),
        "year": _whole_number(values.get("year")),
        "venue": _first(values, "venue", "journal"),
        "authors": _map_items(values.get("authors"), _author),
        "references": _map_items(values.get("outbound_citations"), _id),
        "fields": _fields(_first(values, *_FIELD_KEYS)),
        "has_full_text": bool(values.get("body_text"))
        or any(values.get(key) is True for key in _FULL_TEXT_KEYS),
    }


_FIELD_KEYS = ("mag_field_of_study", "mag_fos", "fields", "fieldsOfStudy", "s2fieldsofstudy")
_FULL_TEXT_KEYS = ("has_pdf_parsed_body_text", "has_full_text")
S2ORC = LineKeys(
    frozenset(
        {
            *("paper_id", "corpusid", "corpus_id", "title", "abstract", "pred_labels", "year"),
            *("venue", "journal", "authors", "outbound_citations", "metadata", "body_text"),
            *(*_FIELD_KEYS, *_FULL_TEXT_KEYS),
        }
    ),
    from_s2orc,
)


def from_beir(content: Mapping[str, object]) -> DocumentValues:
    """A document of BEIR (Thakur et al., NeurIPS Datasets and Benchmarks 2021).

    `metadata` is an arbitrary object. Keys of ours with a value of the right type are used: SciDocs
    has year, authors and references. Other keys are ignored.
    """
    metadata = content.get("metadata")
    more = metadata if isinstance(metadata, dict) else {}
    return {
        **_plain(content, "_id", "text"),
        "year": year_or_none(more.get("year")),
        "venue": _text_or_none(more.get("venue")),
        "language": _text_or_none(more.get("language")),
        "authors": _texts_or_none(more.get("authors")),
        "references": _texts_or_none(more.get("references")),
        "fields": _texts_or_none(more.get("fields")),
    }


BEIR = LineKeys(frozenset({"_id", "title", "text", "metadata"}), from_beir)


def from_pyterrier(content: Mapping[str, object]) -> DocumentValues:
    """A document as PyTerrier's indexers take it (Macdonald & Tonellotto, ICTIR 2020)."""
    return _plain(content, "docno", "text")


PYTERRIER = LineKeys(frozenset({"docno", "title", "text"}), from_pyterrier)


def from_pyserini(content: Mapping[str, object]) -> DocumentValues:
    """A document of Pyserini's JsonCollection (Lin et al., SIGIR 2021)."""
    return _plain(content, "id", "contents")


PYSERINI = LineKeys(frozenset({"id", "title", "contents"}), from_pyserini)


def _plain(content: Mapping[str, object], identifier: str, text: str) -> DocumentValues:
    """A document of an id, a title and a text, given the keys of the first and the last."""
    abstract = content.get(text)
    return {
        "docno": _id(content.get(identifier)),
        "title": content.get("title") or "",
        "abstract": "" if abstract is None else abstract,
    }


def _first(values: Mapping[str, object], *keys: str) -> Any:
    return next((values[key] for key in keys if values.get(key) is not None), None)


def _id(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _map_items(value: Any, change: Any) -> Any:
    return [change(item) for item in value] if isinstance(value, list) else value


def _whole_number(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value


def year_or_none(value: Any) -> int | None:
    """A year from 1 to 9999, as a number or as text; None for anything else."""
    year = _whole_number(value)
    is_valid = isinstance(year, int) and not isinstance(year, bool) and 1 <= year <= 9999
    return year if is_valid else None


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _texts_or_none(value: Any) -> list[str] | None:
    is_text_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return value if is_text_list else None


def _abstract(value: Any, labels: Any) -> DocumentValues:
    """The abstract: one text, a list of paragraphs to split, or sentences if there are labels."""
    if not isinstance(value, list):
        return {"abstract": "" if value is None else value}
    texts = [_paragraph(item) for item in value]
    if labels is not None:
        return {"sentences": texts, "labels": _map_items(labels, _without_ending)}
    return {"sentences": [sentence for text in texts for sentence in split_sentences(text)]}


def _paragraph(value: Any) -> str:
    text = value.get("text") if isinstance(value, dict) else value
    if not isinstance(text, str):
        raise Problem('a paragraph of "abstract" must be text. Write it in quotes.')
    return text


def _without_ending(label: Any) -> Any:
    return label.removesuffix(_LABEL_ENDING) if isinstance(label, str) else label


def _author(value: Any) -> Any:
    """A name; or an object with `name`, or with `first`, `middle` (a list), `last` and `suffix`."""
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("name"), str):
        return value["name"]
    middle = value.get("middle")
    parts = [value.get("first"), *(middle if isinstance(middle, list) else [middle])]
    parts += [value.get("last"), value.get("suffix")]
    return " ".join(part for part in parts if isinstance(part, str) and part)


def _fields(value: Any) -> Any:
    """The distinct fields of study, from names or objects with `category`."""
    if isinstance(value, str):
        return [value]
    names = _map_items(value, lambda item: item.get("category") if isinstance(item, dict) else item)
    is_valid = isinstance(names, list) and all(isinstance(name, str) for name in names)
    return list(dict.fromkeys(names)) if is_valid else names
