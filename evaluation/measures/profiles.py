"""Named sets of measures: `csfcube`, `trec` and `mdcr`. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluation.measures import computations
from evaluation.measures.names import Measure, parse_measures

SIMILAR = 2  # the lowest grade that is relevant in CSFCube: "similar"


class UnknownProfile(ValueError):
    def __init__(self, name: str) -> None:
        known = ", ".join(PROFILES)
        super().__init__(f'Unknown profile "{name}". Use one of: {known}.')


@dataclass(frozen=True)
class Profile:
    """The measures of a profile, and the grade from which a query has a relevant document."""

    name: str
    description: str
    measures: Sequence[Measure]

    @property
    def least(self) -> int:
        return min(measure.least for measure in self.measures)

    @property
    def main_measure(self) -> str:
        """The measure that a page ranks by, unless asked for another."""
        return "NDCG%20" if "NDCG%20" in self.names else self.names[0]

    @property
    def names(self) -> list[str]:
        return [measure.name for measure in self.measures]


def _csfcube() -> Profile:
    """Mysore et al. (NeurIPS Datasets and Benchmarks 2021), section 5, and their scripts."""
    relevant = f"relevant: grade {SIMILAR} or higher"
    gain = "gain = grade, DCG = g₁ + Σ gᵢ/log₂ i"
    return Profile(
        "csfcube",
        "CSFCube’s measures over re-rankings of the judged pool, with two folds",
        [
            Measure(
                "RP",
                SIMILAR,
                f"precision at the rank of the last relevant document; {relevant}",
                lambda ranks: computations.precision_at_last_relevant(ranks, SIMILAR),
            ),
            Measure(
                "P@20",
                SIMILAR,
                f"{relevant}, first 20 documents",
                lambda ranks: computations.precision(ranks, 20, SIMILAR),
            ),
            Measure(
                "R@20",
                SIMILAR,
                f"{relevant}, first 20 documents",
                lambda ranks: computations.recall(ranks, 20, SIMILAR),
            ),
            Measure(
                "NDCG%20",
                1,
                f"{gain}, at 20 % of the judged pool",
                lambda ranks: computations.pool_ndcg(ranks, 20),
            ),
            Measure(
                "NDCG%100",
                1,
                f"{gain}, over the whole judged pool",
                lambda ranks: computations.pool_ndcg(ranks, 100),
            ),
        ],
    )


CSFCUBE = _csfcube()
TREC = Profile(
    "trec",
    "The usual measures of retrieval from the whole corpus",
    parse_measures(
        "AP nDCG@10 nDCG@20 nDCG@100 P@20 R@100 RBP(p=0.8,rel=1) Bpref "
        "Judged@10 Judged@20 Judged@100"
    ),
)
MDCR = Profile(
    "mdcr",
    "MDCR’s measures by trec_eval: mean over the queries of a field, then over fields",
    parse_measures("AP nDCG R@5"),
)
PROFILES = {profile.name: profile for profile in (CSFCUBE, TREC, MDCR)}


def usual_profile(facets: Iterable[str]) -> Profile:
    """CSFCube's for a collection with one of CSFCube's facets, and else trec_eval's."""
    return CSFCUBE if "background" in facets else TREC


def profile_of(name: str) -> Profile:
    """The profile of that name. Raises UnknownProfile."""
    try:
        return PROFILES[name]
    except KeyError:
        raise UnknownProfile(name) from None
