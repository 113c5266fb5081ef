"""How far a collection is: counts read from the database, and what follows from them.

`counts_of` asks a fixed number of questions, however many collections there are. What follows it is
pure: counts in, the seven steps and the one next thing to do out. No count tells what a judgment
says; those about disputes are of pairs that both judges have finished.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.models import Collection, Membership, Role, User
from adjudication.models import Case
from agreement.models import Report
from annotation.models import Pair, Slot
from corpus.models import Document, Query, QueryPaper
from jobs.models import LIVE, Job, State
from pooling.models import Candidate, Pool, Run
from release.models import Release


@dataclass(frozen=True)
class Counts:
    """One collection in numbers. `finished` queries have a judgment in every slot."""

    documents: int = 0
    queries: int = 0
    opened: int = 0
    finished: int = 0
    query_papers: int = 0
    runs: int = 0
    pools: int = 0
    frozen_pools: int = 0
    candidates: int = 0
    pairs: int = 0
    judged_pairs: int = 0
    slots: int = 0
    judged_slots: int = 0
    cases: int = 0
    due: int = 0
    reports: int = 0
    releases: int = 0
    admins: int = 0
    annotators: int = 0
    adjudicators: int = 0
    live_jobs: int = 0
    failed_jobs: int = 0

    @property
    def unopened(self) -> int:
        return self.queries - self.opened

    @property
    def empty_slots(self) -> int:
        return self.slots - self.judged_slots

    @property
    def settled(self) -> int:
        return self.cases - self.due


def counts_of(collections: Iterable[Collection]) -> dict[int, Counts]:
    """The counts of each collection, by its id, in fourteen queries whatever their number."""
    ids = [collection.pk for collection in collections]
    counts = {pk: Counts() for pk in ids}
    for rows, path, sums in _questions():
        grouped = rows.filter(**{f"{path}__in": ids}).order_by().values(path).annotate(**sums)
        for row in grouped:
            pk = row.pop(path)
            counts[pk] = replace(counts[pk], **row)
    return counts


def _questions() -> Iterable[tuple[QuerySet[Any], str, dict[str, Count]]]:
    every = Count("pk")
    unjudged = Slot.objects.unjudged().filter(pair__query=OuterRef("pk"))
    yield Document.objects.all(), "collection", {"documents": every}
    yield (
        Query.objects.all(),
        "collection",
        {
            "queries": every,
            "opened": Count("opening"),
            "query_papers": Count("query_paper", distinct=True),
        },
    )
    yield (
        Query.objects.filter(~Exists(unjudged), opening__isnull=False),
        "collection",
        {"finished": every},
    )
    yield Run.objects.all(), "collection", {"runs": every}
    yield (
        Pool.objects.filter(query_paper__in=QueryPaper.objects.filter(queries__isnull=False)),
        "query_paper__collection",
        {"pools": every, "frozen_pools": Count("pk", filter=Q(frozen_at__isnull=False))},
    )
    yield (
        Candidate.objects.to_judge(),
        "pool__query_paper__collection",
        {"candidates": every},
    )
    yield (
        Slot.objects.all(),
        "pair__query__collection",
        {"slots": every, "judged_slots": Count("judgment")},
    )
    yield Pair.objects.all(), "query__collection", {"pairs": every}
    yield Pair.objects.judged(), "query__collection", {"judged_pairs": every}
    yield (
        Case.objects.cases(),
        "query__collection",
        {"cases": every, "due": Count("pk", filter=Q(decision_id=None))},
    )
    yield Report.objects.all(), "collection", {"reports": every}
    yield Release.objects.all(), "collection", {"releases": every}
    yield (
        Membership.objects.filter(user__is_active=True),
        "collection",
        {f"{role}s": Count("pk", filter=Q(role=role)) for role in Role.values},
    )
    yield (
        Job.objects.annotate(tried_again=Exists(_later_tries())),
        "collection",
        {
            "live_jobs": Count("pk", filter=Q(state__in=LIVE)),
            "failed_jobs": Count("pk", filter=Q(state=State.FAILED, tried_again=False)),
        },
    )


def _later_tries() -> QuerySet[Job]:
    """Of the job around the subquery: jobs to the same end that came after it."""
    return Job.objects.filter(
        collection=OuterRef("collection"),
        key=OuterRef("key"),
        created_at__gt=OuterRef("created_at"),
    )


class Step(NamedTuple):
    """One of the seven steps. `place` is the name of the page where its work is done."""

    name: str
    place: str
    figure: str
    state: str
    done: bool
    current: bool = False


class NextStep(NamedTuple):
    """The one thing to do next; without a `button` there is only waiting."""

    text: str
    button: str = ""
    place: str = ""


def steps(counts: Counts) -> tuple[Step, ...]:
    """The seven steps in order; the first that is not done is the current one."""
    all_steps = (
        _corpus(counts),
        _queries(counts),
        _pools(counts),
        _judging(counts),
        _adjudication(counts),
        _agreement(counts),
        _release(counts),
    )
    current = next((step for step in all_steps if not step.done), None)
    return tuple(step._replace(current=step is current) for step in all_steps)


def _corpus(c: Counts) -> Step:
    state = many(c.documents, "document") if c.documents else "no documents yet"
    return Step("Corpus", "documents", f"{c.documents:,}", state, c.documents > 0)


def _queries(c: Counts) -> Step:
    state = f"from {many(c.query_papers, 'paper')}" if c.queries else "none chosen yet"
    return Step("Queries", "queries", f"{c.queries:,}", state, c.queries > 0)


def _pools(c: Counts) -> Step:
    done = 0 < c.query_papers <= c.pools
    if c.pools:
        state = f"{many(c.candidates, 'candidate')}, {c.frozen_pools:,} frozen"
    else:
        state = f"{many(c.runs, 'run')}, no pool yet"
    return Step("Pools", "pools", _of(c.pools, c.query_papers), state, done)


def _judging(c: Counts) -> Step:
    done = c.queries > 0 and c.finished == c.queries
    state = f"queries judged, {c.unopened:,} not open" if c.unopened else "queries judged"
    if not c.opened:
        state = "not open yet"
    return Step("Judging", "board", _of(c.finished, c.queries), state, done)


def _adjudication(c: Counts) -> Step:
    done = _judging(c).done and c.due == 0
    state = "cases settled" if c.cases else "no case" if done else "no case yet"
    # Cases are settled on the adjudicator's page; an admin follows them on the board.
    return Step("Adjudication", "board", _of(c.settled, c.cases), state, done)


def _agreement(c: Counts) -> Step:
    state = many(c.reports, "report") if c.reports else "not computed yet"
    done = _adjudication(c).done and c.reports > 0
    return Step("Agreement", "agreement", f"{c.reports:,}", state, done)


def _release(c: Counts) -> Step:
    state = many(c.releases, "version") if c.releases else "nothing published"
    return Step("Release", "releases", f"{c.releases:,}", state, c.releases > 0)


def next_step(c: Counts) -> NextStep:
    """What an admin should do next; the first thing that stands in the way."""
    if not c.documents:
        return NextStep(
            "Bring in the documents: everything that can be a query or a candidate.",
            "Import documents",
            "import-documents",
        )
    if not c.queries:
        return NextStep(
            "Choose the papers to search with, and under which facets.", "Add queries", "add-query"
        )
    if not c.pools and not c.runs:
        return NextStep(
            "Retrieve candidates for the queries, or bring in runs made elsewhere.",
            "Add runs",
            "runs",
        )
    if c.pools < c.query_papers:
        missing = c.query_papers - c.pools
        return NextStep(
            f"{many(missing, 'query paper')} of {c.query_papers:,} "
            f"{'has' if missing == 1 else 'have'} no pool yet.",
            "Build pools",
            "pools",
        )
    return _next_in_judging(c) or _next_after_judging(c)


def _next_in_judging(c: Counts) -> NextStep | None:
    if c.unopened and c.annotators < 2:
        return NextStep(
            f"Every pair needs two judges, and {_here(c.annotators)}.", "Add annotators", "people"
        )
    if c.due and not c.adjudicators:
        return NextStep(
            f"{many(c.due, 'case')} {_wait(c.due)} for an adjudicator, and there is none.",
            "Add an adjudicator",
            "people",
        )
    if c.unopened:
        return NextStep(
            f"{many(c.unopened, 'query', 'queries')} of {c.queries:,} "
            f"{'is' if c.unopened == 1 else 'are'} ready to be opened for judging.",
            f"Open {many(c.unopened, 'query', 'queries')}",
            "board",
        )
    if c.empty_slots:
        return NextStep(
            f"Judging is under way: {c.judged_slots:,} of {c.slots:,} judgments are in.",
            "See who is how far",
            "board",
        )
    return None


def _next_after_judging(c: Counts) -> NextStep:
    if c.due:
        return NextStep(
            f"All pairs are judged. {many(c.due, 'case')} of {c.cases:,} {_wait(c.due)} for "
            f"{'the adjudicator' if c.adjudicators == 1 else 'an adjudicator'}.",
            "See what is open",
            "board",
        )
    if not c.reports:
        return NextStep(
            "Everything is judged and settled. See how far the judges agree.",
            "Compute the agreement",
            "agreement",
        )
    if not c.releases:
        return NextStep(
            "Everything is judged, settled and measured.", "Publish a release", "releases"
        )
    return NextStep(
        f"Published in {many(c.releases, 'version')}. A later change becomes the next one.",
        "See the releases",
        "releases",
    )


def many(number: int, one: str, more: str = "") -> str:
    """A number and its noun: "1 query", "1,204 queries"."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,}" if whole else "0"


def _here(annotators: int) -> str:
    return "there is only one annotator" if annotators == 1 else "there is no annotator"


def _wait(number: int) -> str:
    return "waits" if number == 1 else "wait"


class Sitting(NamedTuple):
    """One query as its annotator sees it: how many of the own pairs are judged."""

    query: str
    facet: str
    title: str
    judged: int
    total: int

    @property
    def left(self) -> int:
        return self.total - self.judged


@dataclass(frozen=True)
class Work:
    """What waits for one person in one collection."""

    pairs: int = 0
    judged: int = 0
    due: int = 0

    @property
    def left(self) -> int:
        return self.pairs - self.judged


def work_of(user: User, collections: Iterable[Collection]) -> dict[int, Work]:
    """The user's own queue in each collection, by its id, in two queries."""
    ids = [collection.pk for collection in collections]
    work = {pk: Work() for pk in ids}
    mine = Slot.objects.for_annotator(user).filter(pair__query__collection__in=ids)
    for pk, pairs, judged in (
        mine.order_by()
        .values_list("pair__query__collection")
        .annotate(Count("pk"), Count("judgment"))
    ):
        work[pk] = replace(work[pk], pairs=pairs, judged=judged)
    cases = Case.objects.due().for_adjudicator(user).filter(query__collection__in=ids)
    for pk, due in cases.order_by().values_list("query__collection").annotate(Count("pk")):
        work[pk] = replace(work[pk], due=due)
    return work


def sittings(collection: Collection, user: User) -> list[Sitting]:
    """The user's queries: those with pairs left first, then by id."""
    rows = (
        Slot.objects.of(collection)
        .for_annotator(user)
        .order_by("pair__query__name")
        .values_list(
            "pair__query__name",
            "pair__query__facet__name",
            "pair__query__query_paper__document__title",
        )
        .annotate(Count("judgment"), Count("pk"))
    )
    return sorted((Sitting(*row) for row in rows), key=lambda sitting: sitting.left == 0)


def idle_annotators(collection: Collection) -> list[User]:
    """Annotators who can log in and have nothing left to judge."""
    unjudged = Slot.objects.of(collection).unjudged().filter(annotator=OuterRef("pk"))
    return list(
        User.objects.filter(
            ~Exists(unjudged),
            is_active=True,
            memberships__collection=collection,
            memberships__role=Role.ANNOTATOR,
        ).order_by("username")
    )


def open_jobs(collection: Collection) -> QuerySet[Job]:
    """Jobs that run or wait, and failed ones that nobody has tried again."""
    failed = Q(state=State.FAILED) & ~Exists(_later_tries())
    return collection.jobs.filter(Q(state__in=LIVE) | failed)
