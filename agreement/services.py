"""The agreement report, as a kind of stored report, and its computation from labelled pairs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import transaction

from accounts.actions.settings import save_settings
from accounts.locking import lock_collection
from accounts.models import Collection
from adjudication.labels import pairs_with_judges
from adjudication.standing import LabelledPair, Standing
from agreement.advised.figures import WithoutAdvised
from agreement.annotators import AnnotatorCounts
from agreement.aspects.counts import AspectCounts
from agreement.aspects.report import aspect_summary
from agreement.coefficients import REGISTRY, Missing
from agreement.consistency.pool_rounds import agreement_by_round
from agreement.facet_pairs import FacetPairCounts
from agreement.low_agreement import AgreementRule, WorstPairs, flagged_queries
from agreement.revision import revision_of
from agreement.summary import (
    STATISTICS_VERSION,
    Cell,
    Tally,
    as_json_dict,
    cell_of,
    confusion_dict,
    judges_tables,
    summarize_tally,
)
from annotation.help_requests.advised import advised_slots
from corpus.digests import canonical_json, json_digest
from corpus.scale import DEFAULT_SCALE, Scale
from jobs.context import JobContext
from reports.kinds import ReportContent, ReportKind
from reports.models import StoredReport
from reports.services import register
from web.errors import UserFacingError

JUDGMENTS = "the judgments or decisions"
RULE = "the rule on low agreement"
ASPECTS = "the choice whether judges mark what a match is about"
POLICIES = [(Missing.EXCLUDE.value, "left out"), (Missing.ZERO.value, "counted as 0")]


class AgreementError(UserFacingError):
    """A report that cannot be computed; the message is for the person who asked."""


class UnknownPolicy(AgreementError):
    def __init__(self, missing: str) -> None:
        policies = " or ".join(f'"{policy}"' for policy in Missing)
        super().__init__(f'Unknown policy "{missing}" for missing judgments. Use {policies}.')


class UnknownCoefficient(AgreementError):
    def __init__(self, key: str) -> None:
        keys = ", ".join(coefficient.key for coefficient in REGISTRY)
        super().__init__(f'Unknown coefficient "{key}". Use one of {keys}.')


def policy_on_missing(missing: str) -> Missing:
    try:
        return Missing(missing)
    except ValueError:
        raise UnknownPolicy(missing) from None


@register
@dataclass(frozen=True)
class AgreementReport(ReportKind):
    """Its payload is what `compute_agreement --format json` prints. Its summary is for the page:
    the matrices, and the numbers of each annotator, which only an admin may see.

    `missing` is the policy on missing judgments; another one than Missing has raises UnknownPolicy.
    The report of every state of the judgments is kept. Only pairs with two judgments are read, so
    a report reveals no single judgment early.
    """

    name = "compute_agreement"
    title = "Compute agreement"
    page = "agreement"
    version = STATISTICS_VERSION

    missing: str

    def checked(self, collection: Collection) -> AgreementReport:
        return AgreementReport(policy_on_missing(self.missing).value)

    def inputs(self, collection: Collection) -> dict[str, Any]:
        return {
            JUDGMENTS: revision_of(collection),
            RULE: rule_of(collection),
            ASPECTS: collection.marks_aspects,
        }

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        work.progress(0, None, "comparing judgments")
        facets = list(collection.facets.values_list("key", flat=True))
        scale = Scale(collection.highest_grade, collection.relevant_from)
        digest, counts, worst = StateDigest(), AnnotatorCounts(), WorstPairs()
        facet_pairs = FacetPairCounts(_papers_under_several_facets(collection))
        aspects = AspectCounts()
        judged = pairs_with_judges(collection, with_aspects=collection.marks_aspects)
        if collection.marks_aspects:
            judged = aspects.reading(judged)
        rows = facet_pairs.reading(counts.reading(judged))
        advised = {(slot.query, slot.docno) for slot in advised_slots(collection)}
        others = WithoutAdvised(advised, Tally(facets, scale), count_pairs)
        rows = others.reading(rows) if advised else rows
        tally = tally_of(digest.reading(worst.reading(rows)), facets, scale)
        annotators, rule = counts.as_json(facets, scale), rule_of(collection)
        missing = Missing(self.missing)
        summary = summarize_tally(tally, missing, collection.seed)
        payload = as_json_dict(collection.slug, missing, summary, tally)
        without_advised = others.as_json(missing, collection.seed)
        if without_advised:
            payload["advised"] = without_advised
        by_round = agreement_by_round(
            collection, lambda pairs: tally_of(pairs, facets, scale), missing
        )
        about = aspect_summary(aspects.queries.values(), facets, scale, collection.seed)
        return ReportContent(
            payload,
            {
                "confusion": confusion_dict(tally),
                "annotators": annotators,
                "facet_pairs": facet_pairs.as_json(facets, scale.grades),
                "rule": rule._asdict(),
                "flagged": flagged_queries(
                    judges_tables(tally, missing), worst, rule, collection.seed
                ),
                "aspects": about,
                **({"pool_rounds": by_round} if by_round else {}),
            },
            # Other people can give a pair the same grades when it is judged again.
            # In a collection without answers, the digest stays as earlier versions computed it.
            json_digest(
                [digest.state(), annotators, rule, about, *([without_advised] * bool(advised))]
            ),
        )

    def result(self, report: StoredReport) -> dict[str, Any]:
        return {"report": report.pk, "missing": report.key, "state": report.digest}


def rule_of(collection: Collection) -> AgreementRule:
    return AgreementRule(collection.agreement_rule, collection.agreement_threshold)


def change_rule(*, collection: Collection, rule: AgreementRule) -> None:
    """Save the rule by which queries are flagged. The next report follows it.

    Raises:
        UnknownCoefficient
        CollectionArchived
    """
    if rule.coefficient and rule.coefficient not in {each.key for each in REGISTRY}:
        raise UnknownCoefficient(rule.coefficient)
    with transaction.atomic():
        locked_collection = lock_collection(collection)
        locked_collection.agreement_rule, locked_collection.agreement_threshold = rule
        save_settings(locked_collection, ["agreement_rule", "agreement_threshold"])


def _papers_under_several_facets(collection: Collection) -> dict[str, int]:
    """The query paper of each open query, if another open query is of the same paper."""
    papers = dict(
        collection.queries.filter(opening__isnull=False).values_list("name", "query_paper_id")
    )
    queries = Counter(papers.values())
    return {name: paper for name, paper in papers.items() if queries[paper] > 1}


class StateDigest:
    """SHA-256 of the statistics' version and the judged pairs: a report is of one such state.

    Without the version, a corrected coefficient would never reach judgments that stay as they are.
    """

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256(b"[%d,[" % STATISTICS_VERSION)
        self._separator = b""

    def reading(self, pairs: Iterable[LabelledPair]) -> Iterator[LabelledPair]:
        """The same pairs, while the digest reads along."""
        for _, members in groupby(pairs, key=attrgetter("query")):
            pairs_of_query = list(members)
            rows = [
                [
                    *(pair.query, pair.docno, pair.first, pair.second),
                    *(pair.final, pair.standing.value),
                    *([pair.before] if pair.before else []),
                ]
                for pair in pairs_of_query
                if pair.judged
            ]
            if rows:
                self._sha256.update(self._separator + canonical_json(rows)[1:-1])
                self._separator = b","
            yield from pairs_of_query

    def state(self) -> str:
        """The digest of what was read (hex): canonical JSON of [version, [[query, …], …]]."""
        digest = self._sha256.copy()
        digest.update(b"]]")
        return digest.hexdigest()


def state_of(pairs: Iterable[LabelledPair]) -> str:
    """The state that a report of these pairs is stored under."""
    digest = StateDigest()
    for _ in digest.reading(pairs):
        pass
    return digest.state()


def tally_of(
    pairs: Iterable[LabelledPair],
    facets: Sequence[str],
    scale: Scale = DEFAULT_SCALE,
) -> Tally:
    """Count the judged pairs; a query is in the tally from its first judged pair on."""
    tally = Tally(facets, scale)
    count_pairs(tally, pairs)
    return tally


def count_pairs(tally: Tally, pairs: Iterable[LabelledPair]) -> None:
    """Add the judged pairs to a tally. Those of a query follow each other."""
    for (query, facet), members in groupby(pairs, key=attrgetter("query", "facet")):
        cells: Counter[Cell] = Counter()
        for pair in members:
            if pair.judged:
                set_aside = pair.standing is Standing.SET_ASIDE
                cell = cell_of(pair.first, pair.second, pair.final, set_aside=set_aside)
                cells[cell] += 1
                if pair.before is not None:
                    tally.note_question(query, cell, pair.before)
        if cells:
            tally.of_query(query, facet).update(cells)


def report_payload(
    *, slug: str, facets: Sequence[str], pairs: Iterable[LabelledPair], missing: Missing
) -> dict[str, Any]:
    """The report as JSON types: what `compute_agreement --format json` prints.

    A query is in it from its first judged pair on; `facets` gives the order of the facets.
    """
    tally = tally_of(pairs, facets)
    return as_json_dict(slug, missing, summarize_tally(tally, missing), tally)


class Reports(NamedTuple):
    """The reports under both policies on missing judgments, and the matrices of each facet."""

    payloads: dict[Missing, dict[str, Any]]
    confusion: dict[str, dict[str, Any]]


def both_reports(
    *, slug: str, facets: Sequence[str], pairs: Iterable[LabelledPair], scale: Scale, seed: str
) -> Reports:
    """The content of the reports on these pairs, from one reading of `pairs`."""
    tally = tally_of(pairs, facets, scale)
    payloads = {
        missing: as_json_dict(slug, missing, summarize_tally(tally, missing, seed), tally)
        for missing in Missing
    }
    return Reports(payloads, confusion_dict(tally))
