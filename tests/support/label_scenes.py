"""Systems and models whose labels and rankings are compared in tests."""

from __future__ import annotations

import json
from pathlib import Path

from accounts.models import Collection
from evaluation.models import ShadowJudge
from evaluation.shadow_judges.services import Description, import_shadow_judge
from retrieval.formats import RankedList
from scoring.models import System, SystemKind
from scoring.systems.services import save_system

# Of the judged pairs of `a_judged_collection`, whose final labels are in the comment.
MODEL_LABELS = {
    ("q1_background", "d1"): 0,  # 0
    ("q1_background", "d2"): 1,  # 2
    ("q1_background", "d3"): 3,  # 0
    ("q1_method", "d1"): 3,  # 3
    ("q1_method", "d2"): 2,  # 2
    ("q1_method", "d3"): 1,  # 0
    ("q2_method", "d1"): 2,  # 1
    ("q2_method", "d3"): 0,  # 2
}


def a_system(collection: Collection, name: str, lists: dict[str, list[str]]) -> System:
    """A system with these docnos for queries, best first."""
    return save_system(
        collection=collection,
        name=name,
        kind=SystemKind.FILE,
        lists=[
            (query, RankedList(docnos, [float(len(docnos) - rank) for rank in range(len(docnos))]))
            for query, docnos in lists.items()
        ],
        parameters={},
    )


def two_systems(collection: Collection) -> None:
    """`good` ranks by the final labels, and `bad` the other way round."""
    good = {
        "q1_background": ["d2", "d1", "d3"],
        "q1_method": ["d1", "d2", "d3"],
        "q2_method": ["d3", "d1", "d4"],
    }
    a_system(collection, "good", good)
    a_system(collection, "bad", {query: docnos[::-1] for query, docnos in good.items()})


def qrels_file(folder: Path, labels: dict[tuple[str, str], int], name: str = "model.txt") -> Path:
    path = folder / name
    path.write_text(
        "".join(f"{query} 0 {docno} {grade}\n" for (query, docno), grade in labels.items())
    )
    return path


def jsonl_file(folder: Path, labels: dict[tuple[str, str], int]) -> Path:
    path = folder / "model.jsonl"
    records = (
        {"query": query, "docno": docno, "grade": grade} for (query, docno), grade in labels.items()
    )
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def a_shadow_judge(
    collection: Collection,
    folder: Path,
    name: str = "model",
    labels: dict[tuple[str, str], int] = MODEL_LABELS,
) -> ShadowJudge:
    path = qrels_file(folder, labels)
    return import_shadow_judge(
        collection=collection, path=path, filename=path.name, about=Description(name)
    )
