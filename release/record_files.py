"""The files of a release that have a line for every pair, rating or pooled document.

They are written query by query, so no more than one query's records are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Protocol, TypeVar

from release import formats
from release.bundle import StoredFile
from release.draft_files import DraftFile, DraftFolder
from release.records import Label, Snapshot
from release.sampling import DeepPools

Record = TypeVar("Record")
Record_in = TypeVar("Record_in", contravariant=True)


class CsvWriter(Protocol[Record_in]):
    def __call__(self, records: Iterable[Record_in], /, *, header: bool) -> bytes: ...


def write_records(folder: DraftFolder, snapshot: Snapshot) -> dict[str, StoredFile]:
    """The files by their names in the zip."""
    papers = groupby(snapshot.pools, attrgetter("query_paper"))
    return {
        **_write_labels(folder, snapshot),
        **_write_topics(folder, snapshot),
        **_write_corpus(folder, snapshot),
        "pools/pool.jsonl": folder.write(formats.write_pools(paper) for _, paper in papers),
        "annotations/ratings.csv": folder.write(_csv(formats.write_ratings, snapshot.ratings)),
        "annotations/adjudications.csv": folder.write(
            _csv(formats.write_adjudications, snapshot.adjudications)
        ),
    }


def _write_topics(folder: DraftFolder, snapshot: Snapshot) -> dict[str, StoredFile]:
    """The topics as tools read them. A collection of papers has none, and no such files."""
    if not snapshot.topics:
        return {}
    return {
        "trec/topics.tsv": folder.write([formats.write_topics_tsv(snapshot.topics)]),
        "trec/topics.xml": folder.write([formats.write_topics_xml(snapshot.topics)]),
    }


def _write_corpus(folder: DraftFolder, snapshot: Snapshot) -> dict[str, StoredFile]:
    """Collections whose documents came before imports were recorded have no such file."""
    if not snapshot.corpus_imports:
        return {}
    return {"corpus.json": folder.write([formats.write_corpus(snapshot.corpus_imports)])}


def _csv(write: CsvWriter[Record], records: Iterable[Record]) -> Iterator[bytes]:
    """The header, and then the records of each query."""
    yield write((), header=True)
    for _, some in groupby(records, attrgetter("query")):
        yield write(some, header=False)


def _write_labels(folder: DraftFolder, snapshot: Snapshot) -> dict[str, StoredFile]:
    """One file with all labels and one for each facet with a label: tools refuse empty qrels.

    A collection without facets has only the first. Sampled pools add two files to each, because
    four columns cannot describe a sample.
    """
    kinds: dict[str, Callable[[list[Label]], bytes]] = {"qrels": formats.write_qrels}
    if snapshot.samples:
        deep = DeepPools(snapshot)
        kinds["prels"] = lambda labels: formats.write_prels(deep.probable(labels))
        kinds["sampleval"] = lambda labels: formats.write_sampleval(deep.members(labels))
    drafts: dict[str, DraftFile] = {f"trec/{kind}.all.txt": folder.draft() for kind in kinds}
    for _, grouped in groupby(snapshot.labels, attrgetter("query")):
        labels = list(grouped)
        facet = labels[0].facet
        for kind, write in kinds.items():
            content = write(labels)
            for name in _label_files(kind, facet):
                if name not in drafts:
                    drafts[name] = folder.draft()
                drafts[name].write(content)
    return {name: draft.stored() for name, draft in drafts.items()}


def _label_files(kind: str, facet: str) -> list[str]:
    return [f"trec/{kind}.all.txt", *([f"trec/{kind}.{facet}.txt"] if facet else ())]
