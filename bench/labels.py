"""Measure the labelling of sentences: `python -m bench.labels [--documents 50000]`.

CSAbstruct and CSFCube are read where they lie: CSABSTRUCT_DIR and CSFCUBE_DIR, or ../shared. Each
part is its own process, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import chain, cycle, islice
from pathlib import Path
from typing import Any

from bench.databases import on_sqlite
from bench.processes import Values, measured_process
from bench.step_commands import Clock, Step, set_up_django, write_json
from bench.table import MIB
from curation.labelling.examples import Example, read_examples
from curation.labelling.model import SentenceLabeller
from curation.labelling.scores import compare, predictions
from curation.labelling.weights import from_bytes

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
WEIGHTS = ROOT / "curation" / "labelling" / "csabstruct-1.npz"
DOCUMENTS = 50_000
LARGEST = 800_000  # documents of the extrapolation
SLUG = "bench"
LABELS_OF_CSFCUBE = {"objective": "background"}  # as its facets merge them

Predict = Callable[[Sequence[Example]], list[list[str]]]


def csabstruct(split: str) -> list[Example]:
    """The abstracts of a split: train, dev or test."""
    folder = Path(os.environ.get("CSABSTRUCT_DIR", SHARED / "csabstruct"))
    with (folder / f"{split}.jsonl").open(encoding="utf-8") as lines:
        return list(read_examples(lines, f"{split}.jsonl"))


def csfcube() -> list[Example]:
    """Every abstract of the release with its labels, each once."""
    from csfcube.readable_annotations import read_papers

    folder = Path(os.environ.get("CSFCUBE_DIR", SHARED / "csfcube")) / "readable_annotations"
    papers = {
        paper.pid: paper
        for path in sorted(folder.iterdir())
        for paper in read_papers(path.read_text(encoding="utf-8"), path.name)
    }
    return [
        Example(paper.sentences, paper.labels, (1.0,) * len(paper.labels))
        for paper in papers.values()
    ]


def built_in() -> SentenceLabeller:
    return from_bytes(WEIGHTS.read_bytes(), WEIGHTS.name)


def own() -> Predict:
    labeller = built_in()
    return lambda examples: predictions(labeller, examples)


def plain() -> Predict:
    """tf-idf of words and pairs of words, and a logistic regression: each sentence by itself."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    train = csabstruct("train")
    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LogisticRegression(max_iter=1000)
    )
    model.fit(
        [sentence for example in train for sentence in example.sentences],
        [label for example in train for label in example.labels],
    )

    def predict(examples: Sequence[Example]) -> list[list[str]]:
        flat = iter(model.predict(list(chain(*(e.sentences for e in examples)))).tolist())
        return [list(islice(flat, len(example.sentences))) for example in examples]

    return predict


def crfsuite() -> Predict:
    """A linear chain over the words of a sentence and its place, as its tutorial shows."""
    from sklearn_crfsuite import CRF

    def features(example: Example) -> list[Mapping[str, object]]:
        last = len(example.sentences) - 1
        return [
            {
                **{f"word={word}": True for word in sentence.lower().split()},
                "start": place,
                "end": last - place,
            }
            for place, sentence in enumerate(example.sentences)
        ]

    train = csabstruct("train")
    model = CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100)
    model.fit([features(e) for e in train], [list(e.labels) for e in train])
    return lambda examples: [list(row) for row in model.predict([features(e) for e in examples])]


LABELLERS: dict[str, Callable[[], Predict]] = {
    "Qrelsmith’s labeller": own,
    "scikit-learn by hand": plain,
    "sklearn-crfsuite": crfsuite,
}


def quality(name: str) -> Values:
    """Micro-F1 on both data sets, and abstracts a CPU second without reading or writing."""
    predict = LABELLERS[name]()
    test, second = csabstruct("test"), csfcube()
    many = list(islice(cycle(test), 5_000))
    start = time.process_time()  # other programs would count in elapsed time
    predict(many)
    computed = time.process_time() - start
    return {
        "test": compare([e.labels for e in test], predict(test)).micro_f1,
        "second": compare(_merged([e.labels for e in second]), _merged(predict(second))).micro_f1,
        "per_second": len(many) / computed,
    }


def _merged(labels: Sequence[Sequence[str]]) -> list[list[str]]:
    return [[LABELS_OF_CSFCUBE.get(label, label) for label in row] for row in labels]


def prepare(count: str) -> Values:
    """A database with unlabelled documents that have the sentences of CSAbstruct and CSFCube."""
    set_up_django()
    from django.core.management import call_command
    from django.db import transaction

    from corpus.documents.rows import DocumentInserter, row_of
    from corpus.formats.document_lines import DocumentRecord
    from corpus.services import create_collection

    call_command("migrate", verbosity=0)
    collection = create_collection(slug=SLUG, name="Bench", seed="bench")

    def documents() -> Iterator[Any]:
        texts = cycle([e.sentences for e in [*csabstruct("train"), *csfcube()]])
        for number, sentences in enumerate(islice(texts, int(count))):
            yield row_of(DocumentRecord(str(number), f"Title {number}", sentences))

    with transaction.atomic(), DocumentInserter(collection) as inserter:
        rows = documents()
        while batch := list(islice(rows, 2_000)):
            inserter.add(batch)
    return {}


def label() -> Values:
    """Label the documents of the database, as the job does."""
    set_up_django()
    from accounts.models import Collection
    from curation.labels.prediction import predict_labels
    from jobs.context import DirectRun

    clock = Clock()
    with clock.running():
        report = predict_labels(collection=Collection.objects.get(slug=SLUG), work=DirectRun())
    return {"documents": report.labelled, "seconds": clock.seconds, "cpu": clock.computing}


STEPS: dict[str, Step] = {
    "quality": quality,
    "prepare": prepare,
    "label": label,
}


def run(documents: int) -> str:
    """Measure everything. The result is two Markdown tables."""
    lines = [
        "| labeller | micro-F1 on CSAbstruct’s test split | on CSFCube | abstracts a CPU second "
        "| peak MiB |",
        "|---|---|---|---|---|",
    ]
    for name in LABELLERS:
        if name == "sklearn-crfsuite" and find_spec("sklearn_crfsuite") is None:
            continue
        measured, peak, problem = measured_process("bench.labels", ("quality", name), {})
        lines.append(
            f"| {name} | {measured['test']:.4f} | {measured['second']:.4f} "
            f"| {measured['per_second']:,.0f} | {peak / MIB:,.0f} |"
            if measured
            else f"| {name} | failed: {problem} | | | |"
        )
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        environment = on_sqlite(Path(folder))
        measured_process("bench.labels", ("prepare", str(documents)), environment)
        measured, peak, problem = measured_process("bench.labels", ("label",), environment)
    lines += [
        "",
        "| documents | seconds | CPU seconds | abstracts a CPU second | peak MiB "
        f"| minutes for {LARGEST:,} | CPU minutes for {LARGEST:,} |",
        "|---|---|---|---|---|---|---|",
        _speed_row(measured, peak) if measured else f"| failed: {problem} | | | | | | |",
    ]
    return "\n".join(lines)


def _speed_row(measured: Values, peak: int) -> str:
    rate, cpu_rate = (measured["documents"] / measured[key] for key in ("seconds", "cpu"))
    return (
        f"| {measured['documents']:,} | {measured['seconds']:,.0f} | {measured['cpu']:,.0f} "
        f"| {cpu_rate:,.0f} | {peak / MIB:,.0f} | {LARGEST / rate / 60:,.1f} "
        f"| {LARGEST / cpu_rate / 60:,.1f} |"
    )


def main(arguments: Sequence[str]) -> None:
    if arguments and arguments[0] in STEPS:
        step, *given = arguments
        write_json(STEPS[step](*given))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    sys.stdout.write(run(parser.parse_args(arguments).documents) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
