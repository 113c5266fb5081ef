"""`trec/`: qrels, topics, queries and runs as trec_eval and its successors read them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from operator import attrgetter

from bundle.formats import records as formats
from bundle.formats.run_files import write_query_runs
from bundle.layouts.content import Content, FileNote, Files
from bundle.names import QUERY_TABLE
from bundle.records import Label, Snapshot
from bundle.sampling import DeepPools
from bundle.zip.draft_files import DraftFile, DraftFolder
from bundle.zip.writing import StoredFile

FILES = (
    FileNote(
        "trec/qrels.all.txt",
        "all final labels: `<query id> 0 <docno> <grade>`",
        "all labels, which are citations: `<query id> 0 <docno> <1 or 0>`",
    ),
    FileNote("trec/qrels.<facet>.txt", "the same for one facet"),
    FileNote(
        "trec/prels.<facet>.txt",
        "for estimates: `<query id> <docno> <grade> 1 <inclusion probability>`, statAP's prels",
    ),
    FileNote(
        "trec/sampleval.<facet>.txt",
        "for estimates: `<query id> 0 <docno> <stratum> <grade>`, as `sample_eval.pl` reads it",
    ),
    FileNote("trec/topics.tsv", "the text of every query: `<query id>`, a tab, the text"),
    FileNote(
        "trec/topics.xml",
        "the same in TREC's XML; the description of a query paper is what it is a query about",
    ),
    FileNote(QUERY_TABLE, "the query paper and the facet of every query id"),
    FileNote(
        "trec/runs/<name>.txt",
        "the runs of `runs/` with query ids, which score with the qrels as they are",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    snapshot = content.snapshot
    files: Files = {
        **_write_labels(folder, snapshot),
        **write_query_runs(folder, snapshot.query_run_lines),
    }
    if snapshot.query_texts:
        files["trec/topics.tsv"] = formats.write_topics_tsv(snapshot.query_texts)
        files["trec/topics.xml"] = formats.write_topics_xml(snapshot.query_texts)
    if snapshot.names_differ:
        files[QUERY_TABLE] = formats.write_queries(snapshot.queries)
    return files


def _write_labels(folder: DraftFolder, snapshot: Snapshot) -> dict[str, StoredFile]:
    """A file with all labels and one for each facet with a label: tools refuse empty qrels.

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
