"""The released `csfcube/` files against the files that CSFCube's authors published."""

from __future__ import annotations

import csv
import json
import math
import re
from io import StringIO
from statistics import mean

import pytest

from csfcube.release import read_release

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db, pytest.mark.one_database]

FACETS = ("background", "method")
BLOCKS = re.compile(r"^={5,}\n", re.MULTILINE)
DIFFERENCE = re.compile(r"difference: (\d); annotator(\d): (-?\d); annotator(\d): (-?\d)")
# design.md section 5 of the published figures, in percent: Mysore et al. (2021), table 3.
PUBLISHED = {
    "background": {"RP": 24.81, "P@20": 35.31, "R@20": 57.45, "NDCG%20": 66.70, "NDCG%100": 82.24},
    "method": {"RP": 11.72, "P@20": 13.58, "R@20": 40.81, "NDCG%20": 37.41, "NDCG%100": 62.77},
}


def by_candidate(entry: dict[str, list]) -> dict[str, dict[str, object]]:
    """The columns of a query by candidate: the order of `cands` is not compared."""
    columns = [name for name in entry if name != "cands"]
    rows = zip(*(entry[name] for name in columns), strict=True)
    return {
        docno: dict(zip(columns, row, strict=True))
        for docno, row in zip(entry["cands"], rows, strict=True)
    }


def renamed(entry: dict[str, list], names: dict[str, str]) -> dict[str, list]:
    return {names.get(name, name): column for name, column in entry.items()}


def annotators_of(entry: dict[str, list]) -> set[str]:
    return {name for name in entry if name.startswith("relevance_ann")}


@pytest.fixture(scope="module")
def published(csfcube) -> dict[str, dict]:
    return {facet: read(csfcube, f"test-pid2anns-csfcube-{facet}.json") for facet in FACETS}


@pytest.fixture(scope="module")
def exported(bundle_folder) -> dict[str, dict]:
    folder = bundle_folder / "csfcube"
    return {facet: read(folder, f"test-pid2anns-csfcube-{facet}.json") for facet in FACETS}


@pytest.fixture(scope="module")
def published_names(exported, published) -> dict[str, str]:
    """Our columns of annotators to the published ones: a new name for each person."""
    candidates: dict[str, set[str]] = {}
    for facet in FACETS:
        for paper, entry in exported[facet].items():
            theirs = published[facet][paper]
            for name in annotators_of(entry):
                ours = dict(zip(entry["cands"], entry[name], strict=True))
                same = {
                    other
                    for other in annotators_of(theirs)
                    if ours == dict(zip(theirs["cands"], theirs[other], strict=True))
                }
                candidates[name] = candidates.get(name, same) & same
    return {name: other for name, (other,) in candidates.items()}


def read(folder, name):
    return json.loads((folder / name).read_bytes())


def test_the_annotations_equal_the_published_ones_with_the_annotators_renamed(
    exported, published, published_names
):
    assert len(set(published_names.values())) == len(published_names) == 4
    for facet in FACETS:
        assert exported[facet].keys() == published[facet].keys()
        for paper, entry in exported[facet].items():
            ours = by_candidate(renamed(entry, published_names))
            assert ours == by_candidate(published[facet][paper])


def test_a_missing_judgment_is_minus_one_again(exported):
    missing = [
        column
        for facet in FACETS
        for entry in exported[facet].values()
        for name in annotators_of(entry)
        for column in entry[name]
        if column == -1
    ]

    assert len(missing) == 11
    grades = {
        grade
        for facet in FACETS
        for entry in exported[facet].values()
        for grade in entry["relevance_adju"]
    }
    assert grades == {0, 1, 2, 3}


def test_the_candidates_of_a_query_are_in_the_order_of_its_pool(exported, pools):
    for facet in FACETS:
        for paper, entry in exported[facet].items():
            judged = set(entry["cands"])
            assert entry["cands"] == [docno for docno in pools[paper]["cands"] if docno in judged]


def test_the_pools_equal_the_published_ones_but_for_the_order_of_a_candidates_other_sources(
    bundle_folder, pools
):
    exported = read(bundle_folder / "csfcube", "test-pid2pool-csfcube.json")

    assert exported.keys() == pools.keys()
    for paper, pool in exported.items():
        assert pool["cands"] == pools[paper]["cands"]
        assert [(names[0], sorted(names)) for names in pool["cand_source"]] == [
            (names[0], sorted(names)) for names in pools[paper]["cand_source"]
        ]


def test_the_splits_have_the_published_sets(bundle_folder, csfcube):
    exported = read(bundle_folder / "csfcube", "evaluation_splits.json")

    assert as_sets(exported) == as_sets(read(csfcube, "evaluation_splits.json"))


def as_sets(splits):
    return {
        (facet, name): set(queries)
        for facet, sets in splits.items()
        for name, queries in sets.items()
    }


def test_the_list_of_queries_equals_the_published_one_row_for_row(bundle_folder, csfcube):
    ours, theirs = (
        list(csv.reader(StringIO((folder / "queries-release.csv").read_bytes().decode())))
        for folder in (bundle_folder / "csfcube", csfcube)
    )

    assert ours[0] == theirs[0]
    assert sorted(ours[1:]) == sorted(theirs[1:])


def test_the_readable_annotations_equal_the_published_ones_block_for_block(bundle_folder, csfcube):
    """But for the annotators' numbers, the order of a grade's candidates, and other sources."""
    folder = bundle_folder / "csfcube" / "readable_annotations"
    published = sorted((csfcube / "readable_annotations").iterdir())
    assert [path.name for path in sorted(folder.iterdir())] == [path.name for path in published]
    numbers: dict[str, set[str]] = {}
    for path in published:
        (head, *ours), (their_head, *theirs) = (
            BLOCKS.split(file.read_bytes().decode())[1:] for file in (folder / path.name, path)
        )
        assert head == their_head
        assert [grade_line(block) for block in ours] == [grade_line(block) for block in theirs]
        found, expected = ({parsed(block)[0]: block for block in some} for some in (ours, theirs))
        assert found.keys() == expected.keys()
        for docno, block in found.items():
            assert parsed(block) == parsed(expected[docno])
            compare_numbers(numbers, block, expected[docno])
    assert sorted(map(sorted, numbers.values())) == [["1"], ["2"], ["3"], ["4"]]


def grade_line(block: str) -> str:
    return block.split("\n")[1]


def parsed(block: str) -> tuple:
    """The block with the annotators' grades, and the sources after the first, in any order."""
    head, grade, difference, sources, *text = block.split("\n")
    match = DIFFERENCE.fullmatch(difference)
    first, *others = sources.removeprefix("sources: ").split(" - ")
    docno = head.split(";")[0]
    grades = sorted([match[3], match[5]])
    return docno, head, grade, match[1], grades, first, sorted(others), text


def compare_numbers(numbers: dict[str, set[str]], ours: str, theirs: str) -> None:
    """Each number of ours can stand for those of theirs that gave the same grade."""
    match, other = (DIFFERENCE.search(block) for block in (ours, theirs))
    their_numbers: dict[str, set[str]] = {}
    for number, grade in ((other[2], other[3]), (other[4], other[5])):
        their_numbers.setdefault(grade, set()).add(number)
    for number, grade in ((match[2], match[3]), (match[4], match[5])):
        numbers[number] = numbers.get(number, their_numbers[grade]) & their_numbers[grade]


def test_the_abstracts_have_the_published_sentences_and_labels(bundle_folder, csfcube):
    content = (bundle_folder / "csfcube" / "abstracts-csfcube-preds.jsonl").read_bytes()
    lines = {line["paper_id"]: line for line in map(json.loads, content.decode().splitlines())}
    papers = read_release(csfcube).papers

    assert lines.keys() == papers.keys()
    for docno, paper in papers.items():
        line = lines[docno]
        assert line["title"] == line["metadata"]["title"] == paper.title
        assert line["metadata"]["year"] == paper.year
        assert tuple(line["abstract"]) == paper.sentences
        assert line["pred_labels"] == [f"{label}_label" for label in paper.labels]


def test_the_reader_of_csfcubes_release_reads_the_same_from_ours(bundle_folder, csfcube):
    ours, theirs = read_release(bundle_folder / "csfcube"), read_release(csfcube)

    assert ours.papers == theirs.papers
    assert ours.queries == theirs.queries
    assert {key: final_labels(ratings) for key, ratings in ours.ratings.items()} == {
        key: final_labels(ratings) for key, ratings in theirs.ratings.items()
    }


def final_labels(ratings):
    return {
        (rating.docno, frozenset([rating.first, rating.second]), rating.final)
        for rating in ratings.rated
    }


# CSFCube's evaluation, from its definitions and from the files alone.


@pytest.mark.parametrize("facet", FACETS)
def test_csfcubes_evaluation_gives_the_published_figures_on_our_files(
    bundle_folder, csfcube, exported, facet
):
    splits = read(bundle_folder / "csfcube", "evaluation_splits.json")[facet]
    name = f"eval_scripts/sample_ranked_pools/test-pid2pool-csfcube-specter-{facet}-ranked.json"
    ranked = read(csfcube, name)
    scores = {
        f"{paper}_{facet}": scores_of(grades_in_order(paper, entry, ranked[paper]))
        for paper, entry in exported[facet].items()
    }

    assert {
        measure: round(
            100 * mean(mean(scores[query][measure] for query in splits[fold]) for fold in FOLDS), 2
        )
        for measure in PUBLISHED[facet]
    } == PUBLISHED[facet]


FOLDS = ("fold1_test", "fold2_test")


def grades_in_order(paper, entry, ranking) -> list[int]:
    grade_of = dict(zip(entry["cands"], entry["relevance_adju"], strict=True))
    return [grade_of[docno] for docno, _ in ranking if docno != paper]


def scores_of(grades: list[int]) -> dict[str, float]:
    relevant = [rank for rank, grade in enumerate(grades, start=1) if grade >= 2]
    among_twenty = sum(rank <= 20 for rank in relevant)
    return {
        "RP": len(relevant) / relevant[-1],
        "P@20": among_twenty / 20,
        "R@20": among_twenty / len(relevant),
        "NDCG%20": ndcg(grades, int(0.2 * len(grades))),
        "NDCG%100": ndcg(grades, len(grades)),
    }


def ndcg(grades: list[int], depth: int) -> float:
    return gain(grades[:depth]) / gain(sorted(grades, reverse=True)[:depth])


def gain(grades: list[int]) -> float:
    return grades[0] + sum(
        grade / math.log2(place) for place, grade in enumerate(grades[1:], start=2)
    )
