"""The models of a collection that can stand in for a judge in a plan: systems, and others.

A model gives each pair a score from 0 to 1. A system gives it by its ranking. Rooms above, such as
`evaluation` with its shadow judges, register theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from accounts.models import Collection
from planning.double_judging.strategies import rank_scores
from scoring.models import System, SystemKind
from scoring.systems.lists import run_digests, system_lists
from scoring.systems.named import NamedSystem, named_systems
from web.errors import UserFacingError

PairScores = dict[tuple[str, str], float]  # by query and docno
DocnosByQuery = Mapping[str, Sequence[str]]


class UnknownModel(UserFacingError):
    def __init__(self, name: str, known: Sequence[str]) -> None:
        names = ", ".join(known) or "none yet; add a run or make baselines first"
        super().__init__(f'No model "{name}". There are: {names}.')


class ModelKind(NamedTuple):
    """Models that are no systems. A model's key is "kind:name".

    `scores` gives the scores of some pairs, and may leave some out. `digest` changes with them.
    """

    names: Callable[[Collection], Sequence[str]]
    scores: Callable[[Collection, str, DocnosByQuery], PairScores]
    digest: Callable[[Collection, str], str]


_kinds: dict[str, ModelKind] = {}


def register_models(kind: str, models: ModelKind) -> None:
    """Offer these models to plans of judging. For rooms above."""
    _kinds[kind] = models


def ranking_systems(collection: Collection) -> list[System]:
    """The systems by name, with the runs that were never scored."""
    return [
        each.system or System(collection=collection, name=each.name, kind=SystemKind.RUN)
        for each in sorted(named_systems(collection), key=_name)
        if each.is_ranking
    ]


def _name(system: NamedSystem) -> str:
    return system.name


def models_for_plans(collection: Collection) -> list[str]:
    """The keys of all models; the first is the one that is used if none is named."""
    others = [
        f"{kind}:{name}" for kind in sorted(_kinds) for name in _kinds[kind].names(collection)
    ]
    return [*others, *(system.name for system in ranking_systems(collection))]


def checked_model(collection: Collection, key: str) -> str:
    """The key of the model, or of the first one for "". Raises UnknownModel."""
    known = models_for_plans(collection)
    if not known or (key and key not in known):
        raise UnknownModel(key, known)
    return key or known[0]


def model_scores(collection: Collection, key: str, docnos: DocnosByQuery) -> PairScores:
    """The model's score of each of these pairs; 0 for a pair that it does not know.

    Raises UnknownModel.
    """
    checked_model(collection, key)
    scores = {(query, docno): 0.0 for query in docnos for docno in docnos[query]}
    kind, _, name = key.partition(":")
    if kind in _kinds and name:
        return scores | _kinds[kind].scores(collection, name, docnos)
    (system,) = (system for system in ranking_systems(collection) if system.name == key)
    for query, ranked in system_lists(system):
        if query in docnos:
            found = rank_scores(ranked, docnos[query])
            scores.update(((query, docno), score) for docno, score in found.items())
    return scores


def model_digest(collection: Collection, key: str) -> str:
    """Another text for every state of the model; "" for a model that was removed."""
    kind, _, name = key.partition(":")
    if kind in _kinds and name:
        return _kinds[kind].digest(collection, name)
    return system_digests(collection).get(key, "")


def system_digests(collection: Collection) -> dict[str, str]:
    """A digest of the lists of each system, by name."""
    runs = run_digests(collection)
    return {
        system.name: runs.get(system.name, "") if system.kind == SystemKind.RUN else system.sha256
        for system in ranking_systems(collection)
    }
