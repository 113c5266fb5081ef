"""The checks before a version is published, as data.

Names of checks are stable: scripts and manifests contain them. Each finds the names of what is wrong; an admin can
accept most of them for a reason, which the release then states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q

from accounts.models import Collection
from adjudication.labels import labelled_queries, labels_state
from annotation.models import Pair, PairQuerySet, PairState, PublishedLabel, PublishedLabelQuerySet
from annotation.openings import unopened_pools
from corpus.models import DocumentQuerySet, Query
from jobs.models import Report
from release import datasheet
from web.errors import BadInput

LONGEST_REASON = 500  # characters
NAMED = 20  # of what a check found, in manifest and page
WITH_TEXT = ~Q(document__title="", document__sentences=[])  # of an imported release without texts, no document is


@dataclass(frozen=True)
class Check:
    """`find` gives the names of what is wrong. `passed`, `one` and `many` say so; `effect` is what accepting it means.

    `page` is the name of the address where it is fixed, `link` the text of the link there.
    """

    key: str
    find: Callable[[Collection], list[str]]
    passed: str
    one: str
    many: str
    page: str
    link: str
    effect: str = ""  # empty: it cannot be accepted


@dataclass(frozen=True)
class Finding:
    check: Check
    items: list[str]

    @property
    def is_fault(self) -> bool:
        return bool(self.items)

    @property
    def sentence(self) -> str:
        if not self.items:
            return self.check.passed
        return self.check.one if len(self.items) == 1 else self.check.many.format(len(self.items))

    @property
    def first_items(self) -> list[str]:
        return self.items[:NAMED]


def names(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{query} {docno}" for query, docno in sorted(pairs)]


def pairs_in(state: PairState) -> Callable[[Collection], list[str]]:
    def find(collection: Collection) -> list[str]:
        pairs = Pair.objects.of(collection).filter(state=state)
        return names(pairs.values_list("query__name", "document__docno"))

    return find


def all_pairs(collection: Collection) -> tuple[PairQuerySet, PublishedLabelQuerySet]:
    """Those that were opened here, and those with a published label."""
    return Pair.objects.of(collection), PublishedLabel.objects.of(collection).standing()


def documents_of_pairs(collection: Collection) -> DocumentQuerySet:
    opened, published = (Q(pk__in=pairs.values("document")) for pairs in all_pairs(collection))
    return collection.documents.filter(opened | published)


def no_labels(collection: Collection) -> list[str]:
    return [] if labelled_queries(collection) else ["no label"]


def unwritable_ids(collection: Collection) -> list[str]:
    """TREC files end an id at white space, and `qrels.all.txt` is the file of every facet."""
    queries = collection.queries.values_list("name", flat=True)
    docnos = documents_of_pairs(collection).values_list("docno", flat=True)
    wrong = {name for name in [*queries, *docnos] if name.split() != [name]}
    return sorted(map(repr, wrong)) + [f"facet {facet}" for facet in collection.facets if facet == "all"]


def unopened_queries(collection: Collection) -> list[str]:
    return sorted(set(unopened_pools(collection).values_list("query__name", flat=True)))


def self_retrieved(collection: Collection) -> list[str]:
    """The query paper itself or its text again, or a document whose text is the topic's own."""
    same_text = Q(document__text_digest=F("query__document__text_digest"))
    own = same_text & (Q(document=F("query__document")) | WITH_TEXT)
    asked = {query.name: texts_of(query) for query in collection.queries.filter(document=None)}
    wanted = set().union(*asked.values())
    texts = documents_of_pairs(collection).values_list("pk", "title", "sentences") if wanted else []
    alike = {pk: text for pk, title, sentences in texts if (text := plain(title, *sentences)) in wanted}
    found: list[tuple[str, str]] = []
    for pairs in all_pairs(collection):
        found += pairs.filter(own).values_list("query__name", "document__docno")
        of_topics = pairs.filter(query__document=None, document__in=alike)
        rows = of_topics.values_list("query__name", "document__docno", "document")
        found += [(query, docno) for query, docno, pk in rows if alike[pk] in asked[query]]
    return names(found)


def texts_of(topic: Query) -> set[str]:
    texts = {plain(topic.title), plain(topic.description), plain(topic.title, topic.description)}
    return texts - {""}


def plain(*parts: str) -> str:
    return " ".join(" ".join(parts).casefold().split())


def duplicates(collection: Collection) -> list[str]:
    """Documents of a pool whose text another one of it has, too."""
    columns = ("query__name", "document__docno", "document__text_digest")
    several = collection.documents.values("text_digest").annotate(number=Count("pk")).filter(number__gt=1)
    documents = collection.documents.filter(text_digest__in=several.values("text_digest"))
    candidates = WITH_TEXT & Q(document__in=documents)
    pairs = [row for rows in all_pairs(collection) for row in rows.filter(candidates).values_list(*columns)]
    alike = Counter((query, digest) for query, _, digest in pairs)
    return names((query, docno) for query, docno, digest in pairs if alike[query, digest] > 1)


def no_guideline(collection: Collection) -> list[str]:
    judged = set(Pair.objects.of(collection).values_list("query__facet", flat=True).distinct())
    return sorted(
        facet or "queries without a facet"
        for facet in judged - set(collection.guidelines.values_list("facet", flat=True))
    )


def no_agreement(collection: Collection) -> list[str]:
    if not Pair.objects.of(collection).exists():
        return []
    current = Report.objects.filter(collection=collection, kind="agreement", labels=labels_state(collection))
    return [] if current.exists() else ["agreement report"]


CHECKS = [
    Check(
        "empty",
        no_labels,
        passed="There are labels to publish",
        one="There is no label yet",
        many="",
        page="progress",
        link="Progress",
    ),
    Check(
        "ids",
        unwritable_ids,
        passed="Every id fits into a TREC file",
        one="1 id has white space, or a facet is called all",
        many="{:,} ids have white space, or a facet is called all",
        page="documents",
        link="Documents",
    ),
    Check(
        "unjudged-pairs",
        pairs_in(PairState.OPEN),
        passed="Every opened pair has two judgments",
        one="1 opened pair lacks a judgment",
        many="{:,} opened pairs lack a judgment",
        page="progress",
        link="Progress",
        effect="Left out of the labels.",
    ),
    Check(
        "unresolved",
        pairs_in(PairState.CASE),
        passed="Every case is decided",
        one="1 case is not decided",
        many="{:,} cases are not decided",
        page="cases",
        link="Cases",
        effect="Left without a label.",
    ),
    Check(
        "unopened-queries",
        unopened_queries,
        passed="Every query with a frozen pool was opened for judging",
        one="1 query with a frozen pool was never opened for judging",
        many="{:,} queries with a frozen pool were never opened for judging",
        page="open-queries",
        link="Open queries",
        effect="Candidates there have no label.",
    ),
    Check(
        "self-retrieved",
        self_retrieved,
        passed="No query is a candidate in its own pool",
        one="1 candidate is its query itself",
        many="{:,} candidates are their query itself",
        page="pools",
        link="Pools",
        effect="A system is rewarded there for finding what it was given.",
    ),
    Check(
        "duplicates",
        duplicates,
        passed="No two documents of a pool have the same text",
        one="1 document is duplicated in a pool",
        many="{:,} documents are duplicated in a pool",
        page="pools",
        link="Pools",
        effect="A system that finds one of them is rewarded or punished again for the other.",
    ),
    Check(
        "licence",
        lambda collection: [] if collection.licence.strip() else ["licence"],
        passed="The judgments have a licence",
        one="The judgments have no licence",
        many="",
        page="settings",
        link="Settings",
        effect="Readers do not know how they may use them.",
    ),
    Check(
        "guideline",
        no_guideline,
        passed="What was judged has a guideline",
        one="1 guideline is missing",
        many="{:,} guidelines are missing",
        page="guideline",
        link="Guideline",
        effect="Readers do not know what the grades mean.",
    ),
    Check(
        "datasheet",
        datasheet.unanswered,
        passed="The datasheet is answered",
        one="1 question of the datasheet has no answer",
        many="{:,} questions of the datasheet have no answer",
        page="datasheet",
        link="Datasheet",
        effect="The datasheet says so.",
    ),
    Check(
        "agreement",
        no_agreement,
        passed="Agreement is computed where two people judged",
        one="Agreement is not computed from these labels",
        many="",
        page="agreement",
        link="Agreement",
        effect="The release states no agreement.",
    ),
]
BY_KEY = {check.key: check for check in CHECKS}


def findings(collection: Collection) -> list[Finding]:
    """Every check with what it found now."""
    return [Finding(check, check.find(collection)) for check in CHECKS]


def blocking(found: Iterable[Finding], reasons: dict[str, str]) -> list[Finding]:
    """The faults that are not accepted."""
    return [each for each in found if each.is_fault and each.check.key not in reasons]


def exceptions(found: Iterable[Finding], reasons: dict[str, str]) -> list[dict[str, Any]]:
    """The accepted faults, as the manifest has them."""
    return [
        {
            "check": each.check.key,
            "sentence": f"{each.sentence}. {each.check.effect}",
            "count": len(each.items),
            "items": each.first_items,
            "reason": reasons[each.check.key],
        }
        for each in found
        if each.is_fault and each.check.key in reasons
    ]


def checked_reasons(accept: dict[str, str]) -> dict[str, str]:
    """Reasons of checks to accept, each on one line. Raises BadInput for a check that cannot be accepted."""
    reasons = {}
    for key, reason in sorted(accept.items()):
        if key not in BY_KEY or not BY_KEY[key].effect:
            acceptable = ", ".join(check.key for check in CHECKS if check.effect)
            raise BadInput(f"No check {key!r} can be accepted. Those that can: {acceptable}.")
        line = " ".join(reason.split())
        if not 0 < len(line) <= LONGEST_REASON:
            raise BadInput(f"Say why {key} is accepted, in at most {LONGEST_REASON} characters, got {len(line)}.")
        reasons[key] = line
    return reasons
