"""Documents from JSON, tables, TREC and SMART, by the keys that collections use (S2ORC, BEIR, OpenAlex, …). Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

from corpus.formats.reading import LONGEST, LONGEST_ID, BadLines, Problem, first_rows, text_files
from corpus.formats.records import Names, excerpt, read_records
from corpus.formats.sentences import split_sentences
from web.errors import BadInput

LONGEST_LABEL = 60  # characters
LONGEST_VENUE = 300  # as in the database; nobody searches by the rest
OPENALEX = "https://openalex.org/"
YEAR = re.compile(r"\d{1,4}(\.0)?", re.ASCII)  # a column with gaps is one of floats to pandas
UNSTORABLE = re.compile("[\0\ud800-\udfff]")  # JSON can hold them; PostgreSQL and UTF-8 cannot

DOCUMENTS = Names(
    one="document",
    id="docno",
    fields={
        "docno": ("docno", "doc_no", "pid", "doc_id", "docid", "_id", "paper_id", "corpusid", "corpus_id", "id"),
        "title": ("title", "display_name", "headline"),
        "sentences": ("sentences",),
        "abstract": (
            *("abstract", "text", "contents", "content", "body", "passage", "segment", "abstract_inverted_index"),
            "",  # text outside of all tags
        ),
        "labels": ("labels", "pred_labels"),
        "year": ("year", "publication_year"),
        "venue": ("venue", "journal", "primary_location", "host_venue"),
        "authors": ("authors", "author", "authorships"),
        "cites": ("cites", "references", "outbound_citations", "referenced_works"),
        "fields": (
            *("fields", "mag_field_of_study", "mag_fos", "fieldsofstudy", "fields_of_study", "s2fieldsofstudy"),
            *("topics", "primary_topic", "concepts"),
        ),
    },
    elements="doc|document",
    tags={
        **dict.fromkeys(("docno", "docid"), "docno"),
        **dict.fromkeys(("title", "headline", "head", "hl", "ti", "ttl"), "title"),
        **dict.fromkeys(("text", "abstract", "body", "leadpara", "lp"), "abstract"),
    },
    columns={2: ("docno", "abstract"), 3: ("docno", "title", "abstract"), 4: ("docno", "url", "title", "abstract")},
    smart={"T": "title", "W": "abstract", "A": "authors", "B": "venue"},
)
FIELD_OF = {name: field for field, names in DOCUMENTS.fields.items() for name in names}


def read_documents(
    stored: IO[bytes], name: str, *, bad_lines: BadLines, limit: int, split: bool = True
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each document as values of the model's fields, with its place ("corpus.jsonl:17").

    `split`: abstracts are split into sentences; else each line of an abstract is one.
    """
    keys: list[str] | None = None
    has_text = False
    for place, record, document in _read(stored, name, bad_lines, limit, split):
        keys = keys or sorted(filter(None, record))
        has_text = has_text or bool(document["title"] or document["sentences"])
        yield place, document
    if keys is None:
        raise BadInput(f"{name} has no documents that can be read.")
    if not has_text:
        raise BadInput(f"{name}: no document has a title or a text. The first one has {', '.join(keys)}.")


def preview_documents(stored: IO[bytes], name: str, *, limit: int, split: bool = True) -> dict[str, Any]:
    """The first rows, what became of each key, column or tag (None: not used), and the bad lines before them."""
    bad_lines = BadLines(allowed=100)
    read = first_rows(_read(stored, name, bad_lines, limit, split), bad_lines)
    if not read:
        nothing = f"{name} has no documents. With tags, each must be a <doc> or <document>."
        raise BadInput(bad_lines.reasons[0] if bad_lines.reasons else nothing)
    keys = dict.fromkeys(key for _, record, _ in read for key in with_metadata(record) if key)
    return {
        "rows": [document for _, _, document in read],
        "columns": [(key, FIELD_OF.get(key.lower())) for key in keys if key != "metadata"],
        "bad": bad_lines.reasons,
    }


def _read(
    stored: IO[bytes], name: str, bad_lines: BadLines, limit: int, split: bool
) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    for file in text_files(stored, name, bad_lines, limit, main="corpus.jsonl"):
        for line, record in read_records(file, DOCUMENTS):
            try:
                document = document_of(record, split=split)
            except Problem as problem:
                file.bad(line, str(problem))
            else:
                yield f"{file.name}:{line}", record, document


def with_metadata(record: dict[str, Any]) -> dict[str, Any]:
    """With the keys of an object `metadata`, where S2ORC and BEIR have further values."""
    metadata = record.get("metadata")
    return {**metadata, **record} if isinstance(metadata, dict) else record


def document_of(record: dict[str, Any], *, split: bool = True) -> dict[str, Any]:
    """The values of a document's fields, each from the best of its names that has one."""
    values = {text_of(key, "a key").lower(): value for key, value in with_metadata(record).items()}
    key, value = {}, {}
    for field, names in DOCUMENTS.fields.items():
        key[field] = next((name for name in names if values.get(name) not in (None, "", [], {})), names[0])
        value[field] = values.get(key[field])
    sentences, labels = sentences_of(value, key, split=split)
    return {
        "docno": docno_of(value["docno"], key["docno"]),
        "title": " ".join(text_of(value["title"], key["title"]).split()),
        "sentences": sentences,
        "labels": labels,
        "labels_predicted": bool(labels) and key["labels"] == "pred_labels",
        "year": year_of(value["year"], key["year"]),
        "venue": name_of(value["venue"], key["venue"])[:LONGEST_VENUE],
        "authors": names_of(value["authors"], key["authors"]),
        "fields": names_of(value["fields"], key["fields"]),
        "cites": [docno_of(each, key["cites"]) for each in list_of(value["cites"], key["cites"])],
    }


def docno_of(value: Any, key: str) -> str:
    """Ids stay as they are written; a number becomes text, and OpenAlex's address of a work its last part."""
    if value is None or value == "":
        raise Problem(f'"{key}" is missing. Each needs an id.')
    docno = str(value) if isinstance(value, int) and not isinstance(value, bool) else text_of(value, key)
    docno = docno.removeprefix(OPENALEX)
    if docno.split() != [docno]:
        raise Problem(f'"{key}" must not hold white space, got {excerpt(docno)}: run files cannot hold such an id.')
    if len(docno) > LONGEST_ID:
        raise Problem(f'"{key}" must have at most {LONGEST_ID} characters, got {len(docno):,}.')
    return docno


def text_of(value: Any, key: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Problem(f'"{key}" must be text, got {excerpt(value)}.')
    if not value.isascii() or "\0" in value:
        if found := UNSTORABLE.search(value):
            raise Problem(f'"{key}" has the character U+{ord(found[0]):04X}, which cannot be stored. Remove it.')
    return value


def sentences_of(value: dict[str, Any], key: dict[str, str], *, split: bool) -> tuple[list[str], list[str]]:
    """Sentences as given (texts, or objects with text and label), or those of the abstract; and their labels."""
    given, labels = value["sentences"], value["labels"]
    if given is None and isinstance(value["abstract"], list) and labels is not None:
        given, key["sentences"] = value["abstract"], key["abstract"]  # CSFCube's predictions
    if given is None:
        if labels is not None:
            raise Problem(f'"{key["labels"]}" needs "sentences": give the sentences that the labels belong to.')
        cut = split_sentences if split else str.splitlines
        parts = [each.strip() for text in paragraphs_of(value["abstract"], key["abstract"]) for each in cut(text)]
        return [part for part in parts if part], []
    if not isinstance(given, list):
        raise Problem(f'"{key["sentences"]}" must be a list, got {excerpt(given)}.')
    if any(isinstance(each, dict) for each in given):
        objects = [each if isinstance(each, dict) else {"text": each} for each in given]
        given, labels = [each.get("text") for each in objects], [each.get("label") for each in objects]
        labels = labels if any(labels) else None
    sentences = [text_of(each, key["sentences"]).strip() for each in given]
    if not all(sentences):
        raise Problem(f"sentence {sentences.index('') + 1} is empty. Remove it, with its label.")
    if labels is None:
        return sentences, []
    if not isinstance(labels, list) or len(labels) != len(sentences):
        number = len(labels) if isinstance(labels, list) else excerpt(labels)
        raise Problem(f'"{key["labels"]}" must have a label for each of the {len(sentences)} sentences, got {number}.')
    texts = [text_of(each, key["labels"]).removesuffix("_label") for each in labels]
    if too_long := next((each for each in texts if len(each) > LONGEST_LABEL), None):
        raise Problem(f"a label must have at most {LONGEST_LABEL} characters, got {excerpt(too_long)}.")
    return sentences, texts


def paragraphs_of(value: Any, key: str) -> list[str]:
    """An abstract is a text, a list of paragraphs (texts, or S2ORC's objects), or OpenAlex's inverted index."""
    if key == "abstract_inverted_index" and value is not None:
        return [text_of(uninverted(value), key)]
    if isinstance(value, list):
        return [text_of(each.get("text", each) if isinstance(each, dict) else each, key) for each in value]
    return [text_of(value, key)]


def uninverted(index: Any) -> str:
    """The text whose words stand at these places: {"We": [0, 2], "ask": [1]} is "We ask We"."""
    places = index.values() if isinstance(index, dict) else [None]
    if not all(isinstance(each, list) and {type(place) for place in each} <= {int} for each in places):
        raise Problem('"abstract_inverted_index" must have a list of places for each word.')
    if sum(len(word) * len(index[word]) for word in index) > LONGEST:
        raise Problem(f'"abstract_inverted_index" is of a text with more than {LONGEST:,} characters.')
    return " ".join(word for _, word in sorted((place, word) for word in index for place in index[word]))


def year_of(value: Any, key: str) -> int | None:
    if value in (None, ""):
        return None
    if isinstance(value, str | float) and YEAR.fullmatch(str(value)):
        value = int(float(value))
    if isinstance(value, bool) or not isinstance(value, int):
        raise Problem(f'"{key}" must be a whole number, got {excerpt(value)}.')
    if not 1 <= value <= 9999:
        raise Problem(f'"{key}" must be a year from 1 to 9999, got {excerpt(value)}.')
    return value


def list_of(value: Any, key: str) -> list[Any]:
    """A list, or a text whose items are separated by ";" or line ends."""
    if value is None or isinstance(value, list):
        return value or []
    if isinstance(value, dict):
        return [value]
    return [item for part in re.split(r"[;\n]", text_of(value, key)) if (item := part.strip())]


def names_of(value: Any, key: str) -> list[str]:
    """Names, each once: texts, or objects as S2ORC and OpenAlex have for authors, venues and fields of study."""
    # OpenAlex's concepts below the highest level are subjects, not fields.
    objects = [each for each in list_of(value, key) if not (isinstance(each, dict) and each.get("level"))]
    return list(dict.fromkeys(filter(None, (name_of(each, key) for each in objects))))


def name_of(value: Any, key: str) -> str:
    if not isinstance(value, dict):
        return " ".join(text_of(value, key).split())
    for inner in ("name", "author", "source", "field", "display_name", "category"):
        if value.get(inner):
            return name_of(value[inner], key)
    middle = value.get("middle") or []
    middle = middle if isinstance(middle, list) else [middle]
    parts = [value.get("first"), *middle, value.get("last"), value.get("suffix")]
    return " ".join(text_of(part, key) for part in parts if part)
