"""The findings of the gate by reading a whole snapshot, against which its questions are tested."""

from __future__ import annotations

from collections import Counter, defaultdict

from accounts.models import Collection
from adjudication.standing import Standing
from annotation.models import Opening
from annotation.stale_presentations import pairs_shown_otherwise
from bundle.datasheet.questions import unanswered
from bundle.findings import Finding
from bundle.formats.records import is_writable
from bundle.options import DEFAULT_OPTIONS, ReleaseOptions
from pooling.models import Candidate
from release.gate.answers import SHOWN
from release.services import find_faults
from release.snapshot import take_snapshot

Answers = dict[str, tuple[int, tuple[str, ...]]]
# Their questions read what the oracle would read: a report's own state, and two settings.
WITHOUT_ORACLE = {"model-labels", "old-reports", "licence", "corpus-licence"}


def asked(collection: Collection, options: ReleaseOptions = DEFAULT_OPTIONS) -> Answers:
    """What the gate finds, as it stands on the page."""
    return answers_of(find_faults(collection=collection, options=options))


def _unopened_candidates(collection: Collection) -> list[str]:
    """The query of each candidate of a later pool round that has no pair in the query."""
    rows = Candidate.objects.to_judge().filter(
        round__gt=1, pool__query_paper__collection=collection
    )
    return sorted(
        query.name
        for row in rows.select_related("pool__query_paper")
        for query in row.pool.query_paper.queries.filter(opening__isnull=False)
        if not row.pairs.filter(query=query).exists()
    )


def answers_of(findings: tuple[Finding, ...]) -> Answers:
    answers = {
        finding.check: (finding.count, finding.items)
        for finding in findings
        if finding.check not in WITHOUT_ORACLE
    }
    (empty,) = (finding for finding in findings if finding.check == "empty")
    labels = int(empty.message.split()[0].replace(",", "")) if empty.ok else 0
    return {**answers, "empty": (labels, ())}


def read(collection: Collection, options: ReleaseOptions = DEFAULT_OPTIONS) -> Answers:
    """The same, found by reading every pair and every pool. A release finds it, too."""
    snapshot = take_snapshot(collection, options)
    found: dict[str, list[str]] = defaultdict(list)
    papers = {query.name: query.query_paper for query in snapshot.queries}
    topics = {query.name for query in snapshot.queries if query.is_topic}
    unsourced = {(line.query_paper, line.docno) for line in snapshot.pools if not line.sources}
    labels, best, wrong = 0, Counter[str](), set[str]()
    for pair in snapshot.pairs:
        name = f"{pair.query} {pair.docno}"
        if pair.standing is Standing.DUE:
            found["unresolved"].append(name)
        elif pair.standing is Standing.UNJUDGED:
            found["unjudged-pairs"].append(name)
        if pair.final is None:
            continue
        labels += 1
        best[pair.query] = max(pair.final, best[pair.query])
        wrong |= {each for each in (pair.query, pair.docno) if not is_writable(each)}
        if pair.docno == papers[pair.query] and pair.query not in topics:
            found["self-retrieved"].append(pair.query)
        if (papers[pair.query], pair.docno) in unsourced:
            found["provenance"].append(name)
    facets = [facet.key for facet in snapshot.collection.facets]
    found["ids"] = [*map(repr, sorted(wrong)), *(f"facet {key}" for key in facets if key == "all")]
    relevant_from = snapshot.collection.relevant_from
    found["no-relevant"] = sorted(query for query, grade in best.items() if grade < relevant_from)
    found["unopened-queries"] = [query.name for query in snapshot.queries if not query.opened]
    found["unopened-candidates"] = _unopened_candidates(collection)
    found["duplicates"] = _duplicates(collection)
    found["changed-texts"] = [" ".join(pair) for pair in sorted(pairs_shown_otherwise(collection))]
    datasheet = snapshot.datasheet
    found["datasheet"] = unanswered(
        datasheet.answers, dates_known=datasheet.dates_known, judged=not snapshot.of_citations
    )
    answers = {check: (len(items), tuple(items[:SHOWN])) for check, items in found.items()}
    waiting = found["unopened-candidates"]  # counts pairs, and names queries
    answers["unopened-candidates"] = (len(waiting), tuple(sorted(set(waiting))[:SHOWN]))
    folds = snapshot.folds
    are_made = bool(folds.number) and not folds.imported and not datasheet.dates_known
    answers |= {"made-folds": (int(are_made), ()), "empty": (labels, ())}
    checks = {finding.check for finding in snapshot.findings} - WITHOUT_ORACLE
    found_by_reading = {check: answers.get(check, (0, ())) for check in checks}
    assert answers_of(snapshot.findings) == found_by_reading
    return found_by_reading


def _duplicates(collection: Collection) -> list[str]:
    """Candidates to judge, in pools with an opened query, whose text another such one has."""
    opened = Opening.objects.of(collection).values("query__query_paper")
    rows = Candidate.objects.to_judge().filter(pool__query_paper__in=opened).order_by()
    columns = ("pool__query_paper__name", "document__docno", "document__digest")
    texts = sorted(rows.values_list(*columns))
    number = Counter((paper, digest) for paper, _, digest in texts)
    return [f"{paper} {docno}" for paper, docno, digest in texts if number[paper, digest] > 1]
