"""`LICENSE` for the judgments, and apart `LICENSE-CORPUS` for the documents' texts."""

from __future__ import annotations

from collections.abc import Iterator

from bundle.content import Content, FileNote, Files
from bundle.licences import licence_name, licence_url
from bundle.options import LabelSource
from bundle.snapshot import Snapshot
from bundle.zip.draft_files import DraftFolder

FILES = (
    FileNote("LICENSE", "the licence of the labels, and what it covers"),
    FileNote("LICENSE-CORPUS", "the licence of the documents' texts, and their sources"),
)
UNKNOWN = "No licence is stated. Ask the publisher before you use or pass on what is named below."


def write(folder: DraftFolder, content: Content) -> Files:
    return {
        "LICENSE": _text(_labels(content)),
        "LICENSE-CORPUS": _text(_texts(content.snapshot)),
    }


def _text(lines: Iterator[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _labels(content: Content) -> Iterator[str]:
    collection = content.snapshot.collection
    yield f"{' '.join(collection.name.split())}, version {content.version}"
    yield ""
    yield from _licence(collection.licence)
    yield ""
    labels = "judgments and labels"
    if content.snapshot.options.labels is LabelSource.CITATIONS:
        labels = "labels, which were made from citations,"
    yield f"It covers the {labels}, pools, runs, reports and descriptions in this release."
    if content.snapshot.topics:
        yield "It covers the topics, too."
    yield "It does not cover the texts of documents. LICENSE-CORPUS is about these."


def _texts(snapshot: Snapshot) -> Iterator[str]:
    yield from _licence(snapshot.collection.corpus_licence)
    yield ""
    if snapshot.options.texts.included:
        yield "It covers the titles, abstracts and other data of the documents in this release."
    else:
        yield "It covers the texts of the documents. This release has only their ids."
    sources = [" ".join(row.source.split()) for row in snapshot.corpus_imports]
    if sources:
        yield ""
        yield "The documents were imported from:"
        for source in dict.fromkeys(sources):
            yield f"- {source}"


def _licence(licence: str) -> Iterator[str]:
    if not licence:
        yield UNKNOWN
    elif url := licence_url(licence):
        yield f"SPDX-License-Identifier: {licence}"
        yield f"{licence_name(licence)}: {url}"
    else:
        yield f"Licence: {' '.join(licence.split())}"
