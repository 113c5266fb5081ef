"""RELISH (Brown et al., Database 2019): `RELISH_v1.json`, and the texts from PubMed. Pure.

Each entry has a seed article (`pmid`) and the answer of one person: `relevant`, `partial` and
`irrelevant` articles. Some seeds have several entries, by several people.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from benchmarks.records import (
    PUBLISHED,
    Benchmark,
    BenchmarkError,
    checked,
    json_of,
    one_file,
    sha256_of,
)
from corpus.formats.sources import ENDINGS, JoinedSource, open_source
from web.words import count_noun

GRADES = {"irrelevant": 0, "partial": 1, "relevant": 2}


def read_relish(folder: Path) -> Benchmark:
    """The labels, and as texts all other files of the folder in a format of documents.

    A pair to which two people gave different grades is pooled without a label.

    Raises:
        BenchmarkError: a file is missing or is not as published.
    """
    path = one_file(folder, "RELISH_v1.json", "RELISH*.json")
    answers: dict[str, dict[str, set[int]]] = {}
    for number, entry in enumerate(json_of(path, list), start=1):
        place = f"entry {number}"
        seed = str(checked(path, f"{place}, pmid", _of(path, place, entry, "pmid"), (str, int)))
        response = checked(path, f"{place}, response", _of(path, place, entry, "response"), dict)
        grades = answers.setdefault(seed, defaultdict(set))
        for name, grade in GRADES.items():
            for docno in checked(path, f"{place}, {name}", response.get(name, []), list):
                grades[str(docno)].add(grade)
    texts = sorted(
        file
        for file in path.parent.iterdir()
        if file.is_file() and file != path and file.name.endswith(ENDINGS)
    )
    if not texts:
        raise BenchmarkError(
            f"{path.parent} has no texts. RELISH has none itself, so put PubMed's XML of its "
            "articles there, or a TSV file with the columns docno, title and text."
        )
    clashes = sum(len(given) > 1 for seed in answers.values() for given in seed.values())
    return Benchmark(
        title="RELISH",
        description=(
            "Similar biomedical articles (Brown et al., Database 2019), as published. Grade 2 is "
            "relevant, 1 partially relevant and 0 irrelevant, mostly by an author of the seed."
        ),
        origin="one expert for each seed article",
        highest_grade=max(GRADES.values()),
        documents=JoinedSource.of([open_source(file) for file in texts]),
        files={each.name: sha256_of(each) for each in (path, *texts)},
        pools={seed: dict.fromkeys(given, PUBLISHED) for seed, given in answers.items()},
        grades={
            seed: {docno: min(grades) for docno, grades in given.items() if len(grades) == 1}
            for seed, given in answers.items()
        },
        notes=(f"{count_noun(clashes, 'pair')} with different grades by several people: no label.",)
        if clashes
        else (),
    )


def _of(path: Path, place: str, entry: object, key: str) -> object:
    if not isinstance(entry, dict) or key not in entry:
        raise BenchmarkError(f'{path.name}, {place}: "{key}" is missing. Download the file again.')
    return entry[key]
