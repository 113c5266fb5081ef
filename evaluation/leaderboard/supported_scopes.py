"""The scopes of scoring that a collection supports, with reasons: closed, open and condensed."""

from __future__ import annotations

from typing import NamedTuple

from accounts.models import Collection
from evaluation.pool_bias.computation.statement import open_reason
from evaluation.pool_bias.computation.support import SupportAnswer, pools_are_closed
from evaluation.pool_bias.services import PoolBiasReport
from reports.services import changed_since, stored_report
from scoring.labels import final_labels_of_pools
from scoring.measures.scopes import Scope


class ScopeSupport(NamedTuple):
    """The support for a scope of scoring; `supported` is None where that cannot be said."""

    scope: Scope
    supported: bool | None
    reason: str

    @property
    def answer(self) -> str:
        return {True: "supported", False: "not supported", None: "cannot be said"}[self.supported]

    @property
    def sentence(self) -> str:
        lists, reason = f"{self.scope} lists", self.reason.rstrip(".")
        beginnings = {
            True: f"This collection supports {lists}",
            False: f"This collection does not support {lists}",
            None: f"Whether this collection supports {lists} cannot be said",
        }
        return f"{beginnings[self.supported]}: {reason}."

    def as_json(self) -> dict[str, object]:
        return {
            "scope": self.scope.value,
            "answer": self.answer,
            "reason": self.reason,
            "sentence": self.sentence,
        }


def support_of(collection: Collection, scope: Scope, source: str) -> ScopeSupport:
    """Of one scope, under citations, published labels, or labels that come from judgments."""
    if source == "citations":
        supports = scopes_under_citations()
    elif source == "published":
        supports = scopes_under_published_labels()
    else:
        supports = supported_scopes(collection)
    return next(support for support in supports if support.scope is scope)


def supported_scopes(collection: Collection) -> list[ScopeSupport]:
    """Under the final labels."""
    labelled, pairs = final_labels_of_pools(collection)
    share = f"{labelled:,} of {pairs:,} pooled pairs have a final label"
    return [
        ScopeSupport(Scope.CLOSED, pools_are_closed(labelled, pairs), share),
        _open(collection),
        ScopeSupport(
            Scope.CONDENSED,
            bool(labelled),
            "only documents with a label are ranked, so no pool has to be complete"
            if labelled
            else share,
        ),
    ]


def scopes_under_citations() -> list[ScopeSupport]:
    """A paper outside the pool may be cited, too, and would count as not relevant."""
    return [
        ScopeSupport(Scope.CLOSED, True, "every candidate is labelled as cited or not"),
        ScopeSupport(
            Scope.OPEN, False, "cited papers outside the pools have no label and count as wrong"
        ),
        ScopeSupport(
            Scope.CONDENSED, True, "only labelled candidates are ranked, as in closed lists"
        ),
    ]


def scopes_under_published_labels() -> list[ScopeSupport]:
    """The reason why a benchmark gave a document no label is not known here."""
    reason = "the published labels were not made here"
    return [
        ScopeSupport(Scope.CLOSED, None, reason),
        ScopeSupport(Scope.OPEN, None, reason),
        ScopeSupport(Scope.CONDENSED, True, "only documents with a published label are ranked"),
    ]


def _open(collection: Collection) -> ScopeSupport:
    """The support for open lists, if the report on pool bias is of the present state."""
    report = stored_report(PoolBiasReport(), collection)
    if report is None or changed_since(report):
        reason = "the report Pool bias was not computed for the present labels, pools and systems"
        return ScopeSupport(Scope.OPEN, None, reason)
    facts = report.payload["statement"]
    answers = {SupportAnswer.SUPPORTED: True, SupportAnswer.NOT_SUPPORTED: False}
    supported = answers.get(SupportAnswer(facts["support"]["answer"]))
    return ScopeSupport(Scope.OPEN, supported, open_reason(facts))
