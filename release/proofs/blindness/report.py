"""The stored report of the blindness check."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.conf import settings

from accounts.models import Collection, Role
from annotation.models import Opening
from jobs.context import JobContext
from jobs.queues import JobQueue
from pooling.services.state import pools_state
from release.proofs.blindness.addresses import AddressBook, PairAddress, Route
from release.proofs.blindness.comparison import compare, with_texts
from release.proofs.blindness.hidden_text import (
    KINDS,
    HiddenText,
    HiddenTexts,
    PersonsTexts,
    found_in,
)
from release.proofs.blindness.people import CheckedPerson, blind_people
from release.proofs.blindness.visitor import (
    ReceivedAnswer,
    Visitor,
    loaded_handler,
    no_log_of_refusals,
)
from reports.kinds import ReportContent, ReportKind
from reports.models import StoredReport
from reports.services import register

OPENED, CHANGED = "opened", "changed"  # kinds of findings, beside those of hidden texts
MOST_NAMED = 1_000  # findings
MOST_LINKS = 60  # of the answers of a person, beyond the addresses of the routes
COUNTED_AS = {
    Role.ANNOTATOR: "annotators",
    Role.ADJUDICATOR: "adjudicators",
    Role.OWNER_ANNOTATOR: "owner_annotators",
}
LINK = re.compile(r'(?:href|src|hx-get)="((?:/(?:c|api)/|\?)[^"#]*)"')


class BlindnessFinding(NamedTuple):
    """Something that a person can get at an address and must not.

    `kind` is that of a hidden text, OPENED for a pair of others, or CHANGED for an answer that
    depends on what others do.
    """

    person: str
    address: str
    kind: str
    what: str
    excerpt: str


@register
@dataclass(frozen=True)
class BlindnessCheck(ReportKind):
    """Its payload is that of `_Result`. Releases have the counts only."""

    name = "check_blindness"
    title = "Check that judges are blind"
    page = "blindness"
    version = 2
    queue = JobQueue.LONG

    def inputs(self, collection: Collection) -> dict[str, Any]:
        """Judgments are no input: the pages that are checked are the same after each of them."""
        members = collection.memberships.order_by("user", "role").values_list("user", "role")
        openings = Opening.objects.filter(query__collection=collection).order_by("pk")
        return {
            "the version of Qrelsmith": settings.SOFTWARE_VERSION,
            "the people": list(members),
            "the open queries": list(openings.values_list("pk", flat=True)),
            "the pools or the documents": pools_state(collection),
        }

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        result = check_blindness(collection, work)
        payload = result.as_json()
        named = ("findings", "failed", "unsearchable_names", "routes_without_row")
        counts = {name: value for name, value in payload.items() if name not in named}
        kinds = Counter(finding.kind for finding in result.findings)
        return ReportContent(payload, {**counts, "found": dict(sorted(kinds.items()))})

    def result(self, report: StoredReport) -> dict[str, Any]:
        return {"answers": report.summary["answers"], "findings": report.summary["findings_number"]}

    def released(self, report: StoredReport) -> Any:
        return report.summary


@dataclass
class _Result:
    """The counts of a check, and its findings."""

    people: Counter[str] = field(default_factory=Counter)
    routes: set[str] = field(default_factory=set)
    routes_without_row: set[str] = field(default_factory=set)
    answers: int = 0
    refused: int = 0
    failed: list[str] = field(default_factory=list)
    searched: set[HiddenText] = field(default_factory=set)
    unsearchable: set[HiddenText] = field(default_factory=set)
    compared: Counter[str] = field(default_factory=Counter)
    findings: list[BlindnessFinding] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        def by_kind(texts: set[HiddenText]) -> dict[str, int]:
            counts = Counter(text.kind for text in texts)
            return {kind: counts[kind] for kind in KINDS}

        return {
            "people": {name: self.people[name] for name in COUNTED_AS.values()},
            "routes": len(self.routes),
            "routes_without_row": sorted(self.routes_without_row),
            "answers": self.answers,
            "refused": self.refused,
            "failed": self.failed[:MOST_NAMED],
            "failed_number": len(self.failed),
            "searched": by_kind(self.searched),
            "unsearchable": by_kind(self.unsearchable),
            "unsearchable_names": sorted(text.text for text in self.unsearchable),
            "compared": {
                name: self.compared[name] for name in ("pairs", "answers", "judgment_kept")
            },
            "findings_number": len(self.findings),
            "findings": [finding._asdict() for finding in self.findings[:MOST_NAMED]],
        }


def check_blindness(collection: Collection, work: JobContext) -> _Result:
    """Request everything as each person who judges or decides, and search and compare answers."""
    result, addresses, hidden = _Result(), AddressBook(collection), HiddenTexts(collection)
    people, handler = blind_people(collection), loaded_handler()
    with no_log_of_refusals():
        for number, checked in enumerate(people):
            work.progress(number, len(people), f"requesting pages as {checked.person}")
            result.people[COUNTED_AS[checked.role]] += 1
            visitor = Visitor(checked.person, handler)
            _Check(collection, checked, visitor, addresses, hidden, result, work).run()
    result.unsearchable = hidden.unsearchable
    filled = {route.name for route, _ in addresses.about([PairAddress("", "", "", "")])}
    result.routes_without_row = {route.name for route in addresses.routes} - filled
    return result


@dataclass
class _Check:
    """The check of one person, which adds to the result."""

    collection: Collection
    checked: CheckedPerson
    visitor: Visitor
    addresses: AddressBook
    hidden: HiddenTexts
    result: _Result
    work: JobContext

    def run(self) -> None:
        checked = self.checked
        self.shown = PersonsTexts(self.collection, checked.person, all_pairs=checked.is_adjudicator)
        self.must_not_get = self.hidden.for_person(checked)
        self.result.searched.update(self.must_not_get)
        self.seen: set[str] = set()
        self.open_routes: set[Route] = set()
        links: deque[str] = deque()
        for route, address in self.addresses.about(checked.own):
            if (answer := self._get(address)) is not None and answer.status < 400:
                self.open_routes.add(route)
                links.extend(_links_in(answer))
            self.result.routes.add(route.name)
        for route, address in self.addresses.about(checked.of_others):
            answer = self._get(address)
            if answer is not None and answer.status == 200 and "token" in route.parameters:
                self._found(address, OPENED, "a pair of others", "")
        followed = 0
        while links and followed < MOST_LINKS:
            followed += self._get(links.popleft()) is not None
        for slot in with_texts(checked.compared):
            pair = PairAddress(
                slot.pair.query.name,
                slot.pair.token,
                slot.pair.candidate.document.docno,
                slot.pair.query.query_paper.name,
            )
            about = self.addresses.about([pair])
            self._compare(slot, [address for route, address in about if route in self.open_routes])

    def _get(self, address: str) -> ReceivedAnswer | None:
        """The answer after it was searched; None for an address that was requested before."""
        if address in self.seen:
            return None
        self.seen.add(address)
        self.work.check()
        answer = self.visitor.get(address)
        self.result.answers += 1
        self.result.refused += 400 <= answer.status < 500
        if answer.status >= 500:
            self.result.failed.append(address)
        for found in found_in(answer, self.must_not_get, self.shown):
            self._found(address, found.hidden.kind, found.hidden.text, found.excerpt)
        return answer

    def _compare(self, slot: Any, addresses: list[str]) -> None:
        compared = compare(self.visitor, slot, addresses, renames=not self.checked.knows_people)
        self.result.compared["pairs"] += 1
        self.result.compared["answers"] += compared.answers
        self.result.compared["judgment_kept"] += not compared.is_judgment_changed
        for address, excerpt in compared.different:
            self._found(address, CHANGED, "what others judge, or metadata", excerpt)

    def _found(self, address: str, kind: str, what: str, excerpt: str) -> None:
        person = self.checked.person.username
        self.result.findings.append(BlindnessFinding(person, address, kind, what, excerpt))


def _links_in(answer: ReceivedAnswer) -> Iterator[str]:
    if answer.headers.get("Content-Type", "").startswith("text/html"):
        path = answer.address.partition("?")[0]
        for link in LINK.findall(answer.body):
            address = link.replace("&amp;", "&")
            yield path + address if address.startswith("?") else address
