"""The choice of a study's pairs: a spread over facets, paper types and grades. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.ordering import order_key


class StudyCandidate(NamedTuple):
    """A pair with a final label, whose two documents have full texts.

    `paper_type` is that of the query paper, "" if it is not known.
    """

    pair: int
    query: str
    facet: str
    paper: str
    paper_type: str
    docno: str
    label: int


@dataclass(frozen=True)
class ChosenPairs:
    """The pairs in the order in which the rater sees them, and the queries with too few pairs."""

    pairs: tuple[StudyCandidate, ...]
    queries: int
    too_few: tuple[str, ...]


def choose_pairs(
    candidates: Iterable[StudyCandidate],
    *,
    seed: str,
    name: str,
    queries: int,
    per_query: int,
    named: Sequence[str] = (),
) -> ChosenPairs:
    """Choose `per_query` pairs of each of `queries` queries, the same for the same arguments.

    Each next query is of the facet with the fewest chosen queries; then of the paper type with the
    fewest; then of a new query paper; then with the most different grades; then by chance. `named`
    queries are taken instead, all of them. Within a query, each next pair has the grade that was
    chosen least there, then least in the study, then by chance. A query with fewer than `per_query`
    pairs is not chosen.

    The rater sees one query after the other, both queries and pairs in an order by chance.
    """
    by_query: dict[str, list[StudyCandidate]] = defaultdict(list)
    for candidate in candidates:
        by_query[candidate.query].append(candidate)
    too_few = sorted(query for query, pairs in by_query.items() if len(pairs) < per_query)
    able = {query: pairs for query, pairs in by_query.items() if len(pairs) >= per_query}
    if named:
        chosen = [query for query in dict.fromkeys(named) if query in able]
    else:
        chosen = _spread(able, seed=seed, name=name, number=queries)
    totals: Counter[int] = Counter()
    pairs_of = {
        query: _even_grades(able[query], totals, seed=seed, name=name, number=per_query)
        for query in chosen
    }
    order = f"study:{name}:order"
    return ChosenPairs(
        pairs=tuple(
            candidate
            for query in sorted(chosen, key=lambda query: order_key(seed, order, query, ""))
            for candidate in sorted(
                pairs_of[query], key=lambda pair: order_key(seed, order, query, pair.docno)
            )
        ),
        queries=len(chosen),
        too_few=tuple(too_few),
    )


def _spread(
    able: Mapping[str, Sequence[StudyCandidate]], *, seed: str, name: str, number: int
) -> list[str]:
    facets: Counter[str] = Counter()
    types: Counter[str] = Counter()
    papers: Counter[str] = Counter()
    left = sorted(able)
    chosen: list[str] = []

    def preference(query: str) -> tuple[int, int, int, int, str]:
        first = able[query][0]
        return (
            facets[first.facet],
            types[first.paper_type],
            papers[first.paper],
            -len({candidate.label for candidate in able[query]}),
            order_key(seed, f"study:{name}:query", query, ""),
        )

    while left and len(chosen) < number:
        query = min(left, key=preference)
        first = able[query][0]
        facets[first.facet] += 1
        types[first.paper_type] += 1
        papers[first.paper] += 1
        left.remove(query)
        chosen.append(query)
    return chosen


def _even_grades(
    candidates: Sequence[StudyCandidate],
    totals: Counter[int],
    *,
    seed: str,
    name: str,
    number: int,
) -> list[StudyCandidate]:
    """As many of each grade as can be. Counts the grades in `totals`, too."""
    by_grade: dict[int, list[StudyCandidate]] = defaultdict(list)
    ordered = sorted(
        candidates,
        key=lambda pair: order_key(seed, f"study:{name}:candidate", pair.query, pair.docno),
    )
    for candidate in ordered:
        by_grade[candidate.label].append(candidate)
    here: Counter[int] = Counter()
    chosen = []
    for _ in range(number):
        grade = min(
            (grade for grade in sorted(by_grade) if by_grade[grade]),
            key=lambda grade: (
                here[grade],
                totals[grade],
                order_key(seed, f"study:{name}:grade", candidates[0].query, str(grade)),
            ),
        )
        chosen.append(by_grade[grade].pop(0))
        here[grade] += 1
        totals[grade] += 1
    return chosen
