"""Give judged documents a pool: the one that is there, or an imported one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from adjudication.judgment_import.context import NAMED, JudgmentImportContext
from adjudication.judgment_import.records import ImportedRecords
from corpus.models import QueryPaper
from database.natural_order import natural_key
from pooling.models import Pool
from pooling.provenance import IMPORTED
from pooling.services.imported import create_imported_pools
from web.words import count_noun, listed


def import_pools(
    context: JudgmentImportContext, records: ImportedRecords, files: Mapping[str, str]
) -> None:
    """Create the pools that are missing. `files` are the digests of the files by name.

    Raises:
        JudgmentsRefused: a pool does not hold a judged document, and cannot be replaced.
    """
    new = _missing_pools(context, records)
    context.stop_at_problems()
    context.report.pools_imported = create_imported_pools(
        collection=context.collection,
        documents={
            paper: {
                records.documents[docno].pk: IMPORTED for docno in sorted(docnos, key=natural_key)
            }
            for paper, docnos in new.items()
        },
        files=files,
        built_by=context.imported_by,
    )


def _missing_pools(
    context: JudgmentImportContext, records: ImportedRecords
) -> dict[QueryPaper, list[str]]:
    """The judged documents of the query papers that get an imported pool."""
    papers = {query.query_paper_id: query.query_paper for query in records.queries.values()}
    judged: dict[int, dict[str, None]] = defaultdict(dict)
    for key in records.judgments:
        judged[records.queries[key.query_id].query_paper_id][key.docno] = None
    pools = {pool.query_paper_id: pool for pool in Pool.objects.filter(query_paper__in=judged)}
    new: dict[QueryPaper, list[str]] = {}
    for pk, docnos in judged.items():
        pool = pools.get(pk)
        outside = _outside(pool, docnos) if pool else []
        if pool is None or (outside and not pool.is_frozen and context.options.replace_drafts):
            new[papers[pk]] = list(docnos)
        elif outside:
            context.problems.append(_problem(pool, papers[pk], outside))
    return new


def _outside(pool: Pool, docnos: Iterable[str]) -> list[str]:
    """The documents that are not among the pool's candidates to judge."""
    candidates = pool.candidates.to_judge().order_by()
    inside = set(candidates.values_list("document__docno", flat=True))
    return [docno for docno in docnos if docno not in inside]


def _problem(pool: Pool, paper: QueryPaper, docnos: Sequence[str]) -> str:
    state = "frozen" if pool.is_frozen else "draft"
    remedy = (
        "A frozen pool cannot change. Remove these judgments from the files."
        if pool.is_frozen
        else "Build the pool with these documents, or import again and replace draft pools."
    )
    return (
        f"The {state} pool of {paper.name} does not hold "
        f"{count_noun(len(docnos), 'judged document')} among those to judge: "
        f"{listed(docnos, NAMED)}. {remedy}"
    )
