"""The documents to judge so that conclusions are safe."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.models import Collection
from evaluation.gaps.computation.bounds import BoundedMeasure
from evaluation.gaps.computation.conclusions import Conclusion, ConclusionKind
from evaluation.gaps.computation.decisive import decisive
from evaluation.gaps.reading import query_papers, read_lists
from jobs.context import JobContext
from web.errors import UserFacingError

DEPTH = 20


class UnknownSystem(UserFacingError):
    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f'Unknown system "{name}". Use one of: {", ".join(known) or "none yet"}.')


def all_conclusions(
    systems: Sequence[str], measure: str, kinds: Sequence[ConclusionKind] = tuple(ConclusionKind)
) -> list[Conclusion]:
    """Every pair of these systems by a measure."""
    return [
        Conclusion(first, second, measure, kind)
        for place, first in enumerate(systems)
        for second in systems[place + 1 :]
        for kind in kinds
    ]


def decisive_documents(
    collection: Collection,
    conclusions: Sequence[Conclusion],
    *,
    depth: int | None = DEPTH,
    gaps_of: Sequence[str] | None = None,
    work: JobContext | None = None,
) -> dict[str, list[str]]:
    """The docnos to judge, by the name of their query paper, for these conclusions to be safe.

    Guarantee: while the returned documents stay as they are, judging all other documents of the
    gaps, with any grades, cannot change any of the `conclusions`. A conclusion is which of two
    systems has the higher mean, or what the paired t test at 0.05 says about them (see
    `Conclusion`); means are over all queries with a relevant document, and the labels are the final
    ones. A query that first gets a relevant document then joins the means, and this is counted.

    The gaps are the documents without a label among the first `depth` of the lists of the systems
    `gaps_of`, by default of all systems in `conclusions`. `depth` None means whole lists. Documents
    that no list has there are not considered, nor are queries without any final label. Labels that
    are not there yet count as they do in scores: not relevant.

    The guarantee is about the present labels. After the returned documents were judged, call it
    again: the new labels can make others decisive. The answer can have more documents than are
    necessary; if it is empty, no labels of the gaps change a conclusion.

    Raises UnknownSystem, and UnboundedMeasure for a measure whose bounds are not known.
    """
    names = list(dict.fromkeys(name for each in conclusions for name in each[:2]))
    names += [name for name in gaps_of or () if name not in names]
    systems = {system.name: system for system in collection.systems.order_by("name")}
    for name in names:
        if name not in systems:
            raise UnknownSystem(name, list(systems))
    measures = {
        each.measure: BoundedMeasure.of(each.measure, collection.relevant_from)
        for each in conclusions
    }
    chosen = names if gaps_of is None else gaps_of
    lists = read_lists(collection, [systems[name] for name in names], chosen, depth, work=work)
    papers = query_papers(collection)
    queries = [lists.query(place, papers) for place in range(len(lists.names))]
    return decisive(queries, measures, conclusions)
