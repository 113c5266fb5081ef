"""Check this release: python verify.py

It needs Python 3.9 or later and nothing else. It compares every file with MANIFEST.json, derives every label from the
ratings and decisions again, or from published.csv where nobody judged the pair here, and compares the qrels with the
labels. Exit code 0: all is as it should be.
"""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Row = dict[str, str]
Pair = tuple[str, str]  # query, docno
SHOWN = 20


def verify(folder: Path) -> list[str]:
    """Everything that is wrong, in sentences."""
    try:
        manifest = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
        labels, ratings, decisions = (rows(folder, f"{name}.csv") for name in ("labels", "ratings", "decisions"))
        published = rows(folder, "published.csv") if (folder / "published.csv").exists() else []
        grades = len(manifest["collection"]["grades"])
        faults = [
            *wrong_files(folder, manifest["files"]),
            *wrong_ratings(ratings, grades),
            *wrong_decisions(decisions, grades),
            *wrong_published(published, manifest["qrels"], grades),
        ]
        if (folder / "pools.csv").exists():
            faults += wrong_rounds(rows(folder, "pools.csv"), manifest["pools"])
        return [*faults, *wrong_labels(labels, ratings, decisions, published), *wrong_qrels(folder, labels)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, csv.Error) as error:
        return [f"A file is missing or broken ({type(error).__name__}: {error})."]


def rows(folder: Path, name: str) -> list[Row]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def wrong_files(folder: Path, files: dict[str, dict[str, object]]) -> Iterator[str]:
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    for name in sorted(there - set(files) - {"MANIFEST.json"}):
        yield f"{name} is not in MANIFEST.json."
    for name in sorted(files):
        if name not in there:
            yield f"{name} is missing."
            continue
        content = (folder / name).read_bytes()
        if len(content) != files[name]["bytes"] or hashlib.sha256(content).hexdigest() != files[name]["sha256"]:
            yield f"{name} differs from its SHA-256 in MANIFEST.json."


def wrong_ratings(ratings: list[Row], grades: int) -> Iterator[str]:
    scale = {str(grade) for grade in range(grades)}
    for (query, docno), both in by_pair(ratings).items():
        if sorted(row["slot"] for row in both) != ["1", "2"] or both[0]["annotator"] == both[1]["annotator"]:
            yield f"ratings.csv: {query} {docno} must have two judgments by two people."
        for row in both:
            if bool(row["grade"]) == bool(row["reason"]) or (row["grade"] and row["grade"] not in scale):
                yield f"ratings.csv: {query} {docno} must have a grade from 0 to {grades - 1}, or a reason."


def wrong_published(published: list[Row], files: list[dict[str, Any]], grades: int) -> Iterator[str]:
    """Each published label must be on the scale, and from a file whose origin MANIFEST.json states."""
    scale = {str(grade) for grade in range(grades)}
    for row in published:
        if row["grade"] not in scale:
            yield f"published.csv: {row['query']} {row['docno']} must have a grade from 0 to {grades - 1}."
    found = Counter(row["qrels"] for row in published)
    stated = {str(each["number"]): each["labels"] for each in files if each["origin"]}
    if found != stated:
        yield f"published.csv has {dict(found)} labels by file, MANIFEST.json states the origin of {stated}."


def wrong_rounds(candidates: list[Row], pools: list[dict[str, Any]]) -> Iterator[str]:
    """A later round must have been drawn beside what pools.csv has of the earlier ones."""
    drawn: dict[str, dict[tuple[int, int], str]] = defaultdict(dict)
    for row in candidates:
        drawn[row["query"]][int(row["round"]), int(row["position"])] = row["docno"]
    for each in pools:
        for query, pool in each["manifest"].get("pools", {}).items():
            earlier = [docno for (number, _), docno in sorted(drawn[query].items()) if number < each["round"]]
            text = json.dumps(earlier, ensure_ascii=False, separators=(",", ":"))
            if "before" in pool and hashlib.sha256(text.encode()).hexdigest() != pool["before"]:
                yield f"pools.csv: the earlier pools of {query} are not those that round {each['round']} was added to."


def wrong_decisions(decisions: list[Row], grades: int) -> Iterator[str]:
    for row in decisions:
        if row["grade"] not in {"", *map(str, range(grades))}:
            yield f"decisions.csv: {row['query']} {row['docno']} must have a grade from 0 to {grades - 1}, or none."


def wrong_labels(labels: list[Row], ratings: list[Row], decisions: list[Row], published: list[Row]) -> Iterator[str]:
    judged, decided, given_elsewhere = by_pair(ratings), by_pair(decisions), by_pair(published)
    for table in (by_pair(labels), decided, given_elsewhere):
        for pair, several in table.items():
            if len(several) > 1:
                yield f"{' '.join(pair)} has two labels or two decisions."
    for query, docno in sorted((set(judged) | set(given_elsewhere)) ^ set(by_pair(labels))):
        yield f"{query} {docno} must be in labels.csv, and in ratings.csv or published.csv."
    for query, docno in sorted(set(decided) - set(judged)):
        yield f"decisions.csv: {query} {docno} has a decision without judgments."
    for row in labels:
        pair = (row["query"], row["docno"])
        given = [each["grade"] for each in sorted(judged.get(pair, []), key=lambda each: each["slot"])]
        is_elsewhere = pair in given_elsewhere and pair not in judged
        if (given or ["", ""]) != [row["first"], row["second"]]:
            yield f"labels.csv: {' '.join(pair)} has {row['first']} and {row['second']}, ratings.csv has {given}."
        if is_elsewhere:
            expected = [(given_elsewhere[pair][0]["grade"], "published")]
        elif pair in decided:
            grade = decided[pair][0]["grade"]
            expected = [(grade, "decided" if grade else "set aside")]
        else:  # equal judgments have no label if an admin sent the pair to the adjudicators
            is_agreed = len(given) == 2 and given[0] == given[1] != ""
            expected = [("", "undecided"), *([(given[0], "agreed")] if is_agreed else [])]
        if (row["grade"], row["how"]) not in expected:
            yield f"labels.csv: {' '.join(pair)} is {row['how']} {row['grade']}, which does not follow."


def wrong_qrels(folder: Path, labels: list[Row]) -> Iterator[str]:
    grades = {(row["query"], row["docno"]): row["grade"] for row in labels if row["grade"]}
    facets = {(row["query"], row["docno"]): row["facet"] for row in labels}
    for facet in {"all", *facets.values()} - {""}:
        expected = {pair: grade for pair, grade in grades.items() if facet in ("all", facets[pair])}
        path = folder / f"trec/qrels.{facet}.txt"
        if expected or path.exists():
            yield from difference(
                path.name, expected, (line.split(" ")[::2] + line.split(" ")[3:] for line in lines(path))
            )
    tsv = lines(folder / "beir/qrels/test.tsv")[1:]
    yield from difference("beir/qrels/test.tsv", grades, (line.split("\t") for line in tsv))
    hub = [json.loads(line) for path in sorted((folder / "hf/qrels").glob("*.jsonl")) for line in lines(path)]
    yield from difference("hf/qrels", grades, ([row["query-id"], row["corpus-id"], str(row["score"])] for row in hub))


def difference(name: str, expected: dict[Pair, str], found: Iterable[list[str]]) -> Iterator[str]:
    seen: dict[Pair, str] = {}
    for query, docno, grade in found:
        if (query, docno) in seen:
            yield f"{name}: {query} {docno} is there twice."
        seen[query, docno] = grade
    for query, docno in sorted(set(seen) | set(expected)):
        if seen.get((query, docno)) != expected.get((query, docno)):
            yield f"{name}: {query} {docno} must have the grade {expected.get((query, docno), 'none')} of labels.csv."


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []


def by_pair(records: list[Row]) -> dict[Pair, list[Row]]:
    pairs: dict[Pair, list[Row]] = defaultdict(list)
    for row in records:
        pairs[row["query"], row["docno"]].append(row)
    return dict(pairs)


def main() -> int:
    folder = Path(__file__).resolve().parent
    faults = verify(folder)
    for fault in faults[:SHOWN]:
        print(fault)
    if len(faults) > SHOWN:
        print(f"… and {len(faults) - SHOWN:,} more.")
    if faults:
        return 1
    manifest = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
    print(f"{len(manifest['files'])} files have the SHA-256 of MANIFEST.json.")
    print(f"{manifest['counts']['pairs']:,} pairs have two judgments by two people each.")
    for each in manifest["qrels"]:
        print(f"{each['labels']:,} labels were published, not judged here: {each['origin']}")
    derived = manifest["counts"]["labels"] - manifest["counts"]["published"]
    print(f"{derived:,} labels follow from them and the decisions, and the qrels are those labels.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
