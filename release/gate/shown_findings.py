"""The findings of the gate as the page *Release* shows them: each with the page that fixes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.forms import BoundField
from django.urls import reverse

from accounts.models import Collection
from bundle.findings import Finding
from release.forms import PublishForm, reason_name
from release.gate.checks import CHECKS, Named


class NamedThing(NamedTuple):
    """A name in a finding, and the address of its page or ""."""

    name: str
    url: str = ""


class ShownFinding(NamedTuple):
    """`reason` is the field for the reason to accept it, None if it cannot be accepted."""

    finding: Finding
    fix_url: str
    fix: str  # the text of the link
    items: list[list[NamedThing]]
    reason: BoundField | None


def shown_findings(
    collection: Collection, findings: Sequence[Finding], form: PublishForm
) -> Iterator[ShownFinding]:
    """The findings that are not in order."""
    for finding in findings:
        if finding.ok:
            continue
        check = CHECKS[finding.check]
        name = reason_name(finding.check)
        yield ShownFinding(
            finding,
            f"{reverse(check.fixed_on.url_name, args=[collection.slug])}{check.fixed_on.end}",
            check.fixed_on.caption,
            [_things(collection, check.named, item) for item in finding.items],
            form[name] if name in form.fields else None,
        )


def _things(collection: Collection, named: Named, item: str) -> list[NamedThing]:
    """The query and the document that an item names, each with its page."""
    if named is Named.WORDS:
        return [NamedThing(item)]
    first, _, docno = item.partition(" ")
    page = "document" if named is Named.QUERY_PAPER_AND_DOCUMENT else "query"
    things = [(first, page), (docno, "document")]
    return [
        NamedThing(name, reverse(url_name, args=[collection.slug, name]))
        for name, url_name in things
        if name
    ]
