"""Named sets of measures: `csfcube`, `trec` and `mdcr`. Pure.

A profile is made for the lowest relevant grade of the labels. A measure with another threshold than
its profile's authors took, or than ir-measures takes, has it in its name, as `AP(rel=2)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from scoring.measures import computations
from scoring.measures.judged_ranks import Computation
from scoring.measures.names import Measure, parse_measures
from scoring.measures.scopes import Scope
from web.errors import UserFacingError

SIMILAR = 2  # the lowest grade that is relevant in CSFCube: "similar"
CSFCUBE, TREC, MDCR = "csfcube", "trec", "mdcr"
PROFILES = (CSFCUBE, TREC, MDCR)


class UnknownProfile(UserFacingError, ValueError):
    def __init__(self, name: str) -> None:
        known = ", ".join(PROFILES)
        super().__init__(f'Unknown profile "{name}". Use one of: {known}.')


@dataclass(frozen=True)
class Profile:
    """The measures of a profile, which share a scope.

    `has_folds`: its figures are means over folds. `by_field`: its mean is that over the fields of
    the query papers.
    """

    name: str
    description: str
    measures: Sequence[Measure]
    has_folds: bool = False
    by_field: bool = False

    @property
    def scope(self) -> Scope:
        return self.measures[0].scope

    @property
    def main_measure(self) -> str:
        """The measure that a page ranks by, unless asked for another."""
        return "NDCG%20" if "NDCG%20" in self.names else self.names[0]

    @property
    def names(self) -> list[str]:
        return [measure.name for measure in self.measures]

    def with_measures(self, measures: Iterable[Measure]) -> Profile:
        """Other measures, in the scope of this profile."""
        return replace(self, measures=[replace(measure, scope=self.scope) for measure in measures])

    def scoped(self, scope: Scope) -> Profile:
        return replace(self, measures=[replace(measure, scope=scope) for measure in self.measures])


@cache
def profile_of(name: str, relevant_from: int) -> Profile:
    """The profile of that name for labels that are relevant from this grade on.

    Raises UnknownProfile.
    """
    if name not in PROFILES:
        raise UnknownProfile(name)
    return {CSFCUBE: _csfcube, TREC: _trec, MDCR: _mdcr}[name](relevant_from)


def profiles_for(relevant_from: int) -> list[Profile]:
    return [profile_of(name, relevant_from) for name in PROFILES]


def usual_profile(facets: Iterable[str]) -> str:
    """CSFCube's for a collection with one of CSFCube's facets, and else trec_eval's."""
    return CSFCUBE if "background" in facets else TREC


def _csfcube(least: int) -> Profile:
    """Mysore et al. (NeurIPS Datasets and Benchmarks 2021), section 5, and their scripts."""
    threshold = "" if least == SIMILAR else f"(rel={least})"
    at_20 = "@20" if least == SIMILAR else f"{threshold}@20"
    relevant = f"relevant: grade {least} or higher"
    gain = "gain = grade, DCG = g₁ + Σ gᵢ/log₂ i"
    first_20 = f"{relevant}, first 20 documents"
    last = f"precision at the rank of the last relevant document; {relevant}"
    computed: dict[str, tuple[str, Computation]] = {
        f"RP{threshold}": (last, partial(computations.precision_at_last_relevant, least=least)),
        f"P{at_20}": (first_20, partial(computations.precision, cutoff=20, least=least)),
        f"R{at_20}": (first_20, partial(computations.recall, cutoff=20, least=least)),
        "NDCG%20": (
            f"{gain}, at 20 % of the judged pool",
            partial(computations.pool_ndcg, percent=20, least=least),
        ),
        "NDCG%100": (
            f"{gain}, over the whole judged pool",
            partial(computations.pool_ndcg, percent=100, least=least),
        ),
    }
    return Profile(
        CSFCUBE,
        "CSFCube’s measures over rankings of the judged pool, with folds",
        [
            Measure(name, least, description, compute, scope=Scope.CLOSED)
            for name, (description, compute) in computed.items()
        ],
        has_folds=True,
    )


def _trec(least: int) -> Profile:
    return Profile(
        TREC,
        "The usual measures of retrieval from the whole corpus",
        parse_measures(
            f"AP nDCG@10 nDCG@20 nDCG@100 P@20 R@100 RBP(p=0.8,rel={least}) Bpref "
            "Judged@10 Judged@20 Judged@100",
            least,
        ),
    )


def _mdcr(least: int) -> Profile:
    return Profile(
        MDCR,
        "MDCR’s measures by trec_eval: mean over the queries of a field, then over fields",
        [replace(measure, scope=Scope.CLOSED) for measure in parse_measures("AP nDCG R@5", least)],
        by_field=True,
    )
