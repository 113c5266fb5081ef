"""`trec/`: qrels, topics, queries and runs as trec_eval and its successors read them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from itertools import groupby
from operator import attrgetter

from bundle.content import Content, FileNote, Files, LayoutLoader, UnpackedBundle
from bundle.formats import records as formats
from bundle.formats.run_files import RUNS, write_query_runs
from bundle.layouts import corpus
from bundle.layouts.splits import ALL
from bundle.names import QRELS, QUERY_TABLE
from bundle.reading.opened import BundleError, OpenedBundle, read_lines
from bundle.reading.trec import read_qrels
from bundle.records import Label
from bundle.sampling import DeepPools
from bundle.snapshot import Snapshot
from bundle.verification.data import ReleaseData
from bundle.verification.failures import Failure
from bundle.verification.label_copies import (
    Row,
    labelled_queries,
    read_grade,
    same_labels,
    varying_names,
)
from bundle.zip.draft_files import DraftFile, DraftFolder
from bundle.zip.writing import StoredFile

FOLDER = "trec/"
TOPICS, TOPICS_XML = "trec/topics.tsv", "trec/topics.xml"
NOT_DRAWN = "-1"  # the grade in sampleval
FILES = (
    FileNote(
        QRELS,
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
    FileNote(TOPICS, "the text of every query: `<query id>`, a tab, the text"),
    FileNote(
        TOPICS_XML,
        "the same in TREC's XML; the description of a query paper is what it is a query about",
    ),
    FileNote(QUERY_TABLE, "the query paper and the facet of every query id"),
    FileNote(
        f"{FOLDER}{RUNS}<name>.txt",
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
        files[TOPICS] = formats.write_topics_tsv(snapshot.query_texts)
        files[TOPICS_XML] = formats.write_topics_xml(snapshot.query_texts)
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
    drafts: dict[str, DraftFile] = defaultdict(folder.draft)
    drafts |= {_label_file(kind, ALL): folder.draft() for kind in kinds}
    for _, grouped in groupby(snapshot.labels, attrgetter("query")):
        labels = list(grouped)
        facet = labels[0].facet
        for kind, write in kinds.items():
            content = write(labels)
            for name in (_label_file(kind, part) for part in (ALL, facet) if part):
                drafts[name].write(content)
    return {name: draft.stored() for name, draft in drafts.items()}


def _label_file(kind: str, part: str) -> str:
    """The file of this kind for a facet or for all labels."""
    return f"{FOLDER}{kind}.{part}.txt"


def check(data: ReleaseData) -> Iterator[Failure]:
    """The qrels by facet, and the files for samples."""
    for facet in sorted({data.facet_of(query) for query in data.labels} - {""}):
        if (file := _label_file("qrels", facet)) not in data.bundle.names:
            yield Failure(file, None, "is missing.")
    for name, kind_and_part in varying_names(data.bundle, FOLDER, ".txt"):
        kind, _, part = kind_and_part.partition(".")
        reader = READERS.get(kind)
        if reader is not None and name != QRELS:
            queries = labelled_queries(data, "" if part == ALL else part)
            yield from same_labels(data, name, reader(data.bundle, name), queries)


def _qrels(bundle: OpenedBundle, name: str) -> Iterator[Row]:
    for line, label in read_qrels(bundle, name):
        yield line, label.query, label.docno, label.grade


def _prels(bundle: OpenedBundle, name: str) -> Iterator[Row]:
    for line, (query, docno, grade, _, chance) in _columns(bundle, name, 5):
        if not 0 < _number(chance) <= 1:
            raise BundleError(name, line, f"the probability must be above 0, to 1, got {chance}.")
        yield line, query, docno, read_grade(grade, name, line)


def _sampleval(bundle: OpenedBundle, name: str) -> Iterator[Row]:
    for line, (query, _, docno, _, grade) in _columns(bundle, name, 5):
        if grade != NOT_DRAWN:
            yield line, query, docno, read_grade(grade, name, line)


READERS: dict[str, Callable[[OpenedBundle, str], Iterator[Row]]] = {
    "qrels": _qrels,
    "prels": _prels,
    "sampleval": _sampleval,
}


def _columns(bundle: OpenedBundle, name: str, number: int) -> Iterator[tuple[int, list[str]]]:
    for line, text in read_lines(bundle, name):
        cells = text.split(" ")
        if len(cells) != number:
            raise BundleError(name, line, f"must have {number} columns, got {len(cells)}.")
        yield line, cells


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def scored_runs(files: Collection[str]) -> list[str]:
    """Runs with the query ids of the qrels: those below runs/ name the query papers instead."""
    by_query = sorted(name for name in files if name.startswith(f"{FOLDER}{RUNS}"))
    if by_query or QUERY_TABLE in files:
        return by_query
    return sorted(name for name in files if name.startswith(RUNS))


def _run(bundle: UnpackedBundle) -> str:
    runs = scored_runs(bundle.files)
    return f"{bundle.folder}/{runs[0]}" if runs else "my.run"


def _pandas(bundle: UnpackedBundle) -> str:
    code = (
        "import pandas as pd\n\n"
        "qrels = pd.read_csv(\n"
        f'    "{bundle.folder}/{QRELS}", sep=" ",\n'
        '    names=["query", "iteration", "docno", "grade"],\n'
        '    dtype={"query": str, "docno": str},\n'
        ")\n"
        'print(qrels.groupby("grade").size())'
    )
    if corpus.QUERIES in bundle.files:
        code += f'\nqueries = pd.read_csv("{bundle.folder}/{corpus.QUERIES}", dtype=str)'
    return code


def _ir_measures(bundle: UnpackedBundle) -> str:
    reading = (
        f'import ir_measures\n\nqrels = ir_measures.read_trec_qrels("{bundle.folder}/{QRELS}")\n'
    )
    if bundle.is_sample:
        return reading + "print(len(list(qrels)))"
    return (
        f'{reading}run = ir_measures.read_trec_run("{_run(bundle)}")\n'
        "print(ir_measures.calc_aggregate([ir_measures.nDCG @ 20], qrels, run))"
    )


def _trec_eval(bundle: UnpackedBundle) -> str:
    if bundle.is_sample:
        return ""
    level = f" -l {bundle.relevant_from}" if bundle.relevant_from else ""
    return f"trec_eval{level} -m map -m ndcg_cut.20 {bundle.folder}/{QRELS} {_run(bundle)}"


def _pyterrier(bundle: UnpackedBundle) -> str:
    if bundle.is_sample:
        return ""
    return (
        "import pyterrier as pt\n\n"
        f'qrels = pt.io.read_qrels("{bundle.folder}/{QRELS}")\n'
        f'run = pt.io.read_results("{_run(bundle)}")\n'
        'print(pt.Evaluate(run, qrels, metrics=["ndcg_cut_20"]))'
    )


PANDAS = LayoutLoader("pandas", "pandas", _pandas, (QRELS, corpus.QUERIES))
IR_MEASURES = LayoutLoader("ir-measures", "ir_measures", _ir_measures, (QRELS,))
TREC_EVAL = LayoutLoader("trec-eval", "trec_eval", _trec_eval, (QRELS,))
PYTERRIER = LayoutLoader("pyterrier", "PyTerrier", _pyterrier, (QRELS,))
