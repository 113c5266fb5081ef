"""The value of citations as labels of a collection's pairs."""

from __future__ import annotations

from collections import defaultdict

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from corpus.models import QueryPaper
from evaluation.citations.shares import CandidateLabel, GradeShares, binary_labels, grade_shares
from evaluation.label_effects.rankings import CITATIONS, FINAL, compared_rankings
from jobs.context import JobContext
from pooling.models import Contribution
from retrieval.services import CITED

READ_TOGETHER = 200


def cited_papers(collection: Collection, measure: str, work: JobContext) -> dict[str, object]:
    """The grades of cited candidates by facet, and the ranking of systems under citations.

    A candidate is cited if it is among the references of the query paper, or was drawn as cited.
    Topics cite nothing, so their queries take no part.
    """
    work.progress(0, None, "reading citations")
    cited = _cited_candidates(collection)
    papers = dict(
        collection.queries.filter(query_paper__topic=None).values_list("name", "query_paper_id")
    )
    # A query paper in its own pool counts in the shares, as in the paper, and in no ranking.
    own = dict(collection.queries.values_list("name", "query_paper__document__docno"))
    labels: list[CandidateLabel] = []
    final: dict[str, dict[str, int]] = defaultdict(dict)
    for pair in labelled_pairs(collection):
        if pair.final is not None and pair.query in papers:
            is_cited = pair.docno in cited[papers[pair.query]]
            labels.append(CandidateLabel(pair.facet, pair.final, is_cited))
            if pair.docno != own[pair.query]:
                final[pair.query][pair.docno] = pair.final
    # The highest grade, so that a cited paper is relevant under every measure.
    citations = {
        query: binary_labels(cited[papers[query]], grades, collection.highest_grade)
        for query, grades in final.items()
    }
    facets = list(collection.facets.values_list("key", flat=True))
    return {
        "facets": [
            _as_json(row, collection.relevant_from)
            for row in grade_shares(labels, facets=facets, grades=collection.grades)
        ],
        **compared_rankings(collection, {FINAL: final, CITATIONS: citations}, measure, work),
    }


def _cited_candidates(collection: Collection) -> dict[int, set[str]]:
    """The docnos that each query paper cites, by the paper's id."""
    cited: dict[int, set[str]] = defaultdict(set)
    papers = QueryPaper.objects.filter(collection=collection, document__isnull=False).order_by("pk")
    for paper, references in papers.values_list("pk", "document__references").iterator(
        READ_TOGETHER
    ):
        cited[paper].update(references)
    drawn = Contribution.objects.filter(
        source=CITED, candidate__pool__query_paper__collection=collection
    ).order_by()
    for paper, docno in drawn.values_list(
        "candidate__pool__query_paper_id", "candidate__document__docno"
    ).iterator():
        cited[paper].add(docno)
    return cited


def _as_json(row: GradeShares, relevant_from: int) -> dict[str, object]:
    return {
        "facet": row.facet,
        "cited": list(row.cited),
        "others": list(row.others),
        "shares": row.shares,
        "low_share": row.low_share,
        "relevant_from": relevant_from,
        "cited_share_of_relevant": row.cited_share_from(relevant_from),
    }
