"""Measures by their names in ir-measures, such as `nDCG@10` and `AP(rel=2)`. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import ir_measures

from scoring.measures import computations
from scoring.measures.judged_ranks import Computation
from scoring.measures.scopes import Scope
from web.errors import UserFacingError


class UnknownMeasure(UserFacingError, ValueError):
    """No measure has this name, or none of the providers here can compute it."""


@dataclass(frozen=True)
class Measure:
    """A measure and how it treats the documents.

    `least` is the lowest grade that counts as relevant, and a query without such a document is not
    scored. `compute` is our computation over all queries at once. Where it is None, ir-measures
    computes `standard` query by query. `scope` says what happens to unlabelled documents of a list.
    """

    name: str
    least: int
    description: str
    compute: Computation | None = None
    standard: Any = None
    scope: Scope = Scope.OPEN

    def __str__(self) -> str:
        return self.name


def parse_measures(text: str, least: int = 1) -> list[Measure]:
    """The measures of a text like "nDCG@10 AP(rel=2)", each once.

    A measure with a threshold that does not give it takes `least`, and has it in its name.

    Raises UnknownMeasure for a name that ir-measures does not know or cannot compute here.
    """
    names = dict.fromkeys(_split(text))
    if not names:
        raise UnknownMeasure('No measure given. Give names such as "nDCG@10 AP(rel=2)".')
    measures = [parse_measure(name, least) for name in names]
    return list({measure.name: measure for measure in measures}.values())


def parse_measure(name: str, least: int = 1) -> Measure:
    """The measure of this name in ir-measures; see `parse_measures`. Raises UnknownMeasure."""
    try:
        standard = ir_measures.parse_measure(name)
        standard.validate_params()  # type: ignore[no-untyped-call]
    except AssertionError as error:
        raise UnknownMeasure(
            f'"{name}" has an invalid or missing parameter. Write a cutoff as in "P@20" and a '
            'threshold as in "AP(rel=2)".'
        ) from error
    except (NameError, ValueError, SyntaxError, KeyError, TypeError) as error:
        raise UnknownMeasure(_unknown(name)) from error
    return measure_of(_with_threshold(standard, least), least)


def _with_threshold(standard: Any, least: int) -> Any:
    """The measure with `least` where it would take grade 1 by default."""
    parameter = standard.SUPPORTED_PARAMS.get("rel")
    by_default = parameter is not None and parameter.default == 1 and "rel" not in standard.params
    return standard(rel=least) if by_default and least != 1 else standard


def measure_of(standard: Any, usual: int = 1) -> Measure:
    """Our computation of the measure if there is one, and otherwise that of ir-measures.

    `usual` is the lowest relevant grade of a measure without a threshold, such as nDCG.
    """
    parameters = dict(standard.params)
    has_threshold = "rel" in parameters or "rel" in standard.SUPPORTED_PARAMS
    least = int(parameters.get("rel", 1 if has_threshold else usual))
    measure = Measure(str(standard), least, _describe(standard, least), standard=standard)
    compute = _computation(standard.NAME, parameters, least)
    if compute is not None:
        return replace(measure, compute=compute)
    if not ir_measures.DefaultPipeline.supports(standard):  # type: ignore[no-untyped-call]
        problem = f"No installed provider of ir-measures computes {standard}. "
        raise UnknownMeasure(problem + "Choose another measure or another parameter.")
    return measure


def _computation(name: str, parameters: Mapping[str, Any], least: int) -> Computation | None:
    """The computation of a measure with these parameters; None for one we do not have."""
    known = {"cutoff", "rel", "p"} if name == "RBP" else {"cutoff", "rel"}
    if not parameters.keys() <= known or (name == "RBP" and "rel" not in parameters):
        return None
    k = parameters.get("cutoff")
    persistence = parameters.get("p", 0.8)
    ours: dict[str, Computation] = {
        "AP": lambda ranks: computations.average_precision(ranks, k, least),
        "RR": lambda ranks: computations.reciprocal_rank(ranks, k, least),
        "Rprec": lambda ranks: computations.r_precision(ranks, least),
        "Bpref": lambda ranks: computations.bpref(ranks, least),
        "RBP": lambda ranks: computations.rbp(ranks, persistence, k, least),
        "Judged": lambda ranks: computations.judged_share(ranks, k),
    }
    if "rel" not in parameters:  # a threshold changes the gains
        ours["nDCG"] = lambda ranks: computations.ndcg(ranks, k)
    if k is not None:
        ours["P"] = lambda ranks: computations.precision(ranks, k, least)
        ours["R"] = lambda ranks: computations.recall(ranks, k, least)
        ours["Success"] = lambda ranks: computations.success(ranks, k, least)
    return ours.get(name)


def _describe(standard: Any, least: int) -> str:
    """The relevance threshold, cut-off, gain, and treatment of unjudged documents in words."""
    name, parameters = standard.NAME, dict(standard.params)
    cutoff = parameters.get("cutoff")
    depth = f"first {cutoff:,} documents" if cutoff else "whole list"
    if name == "Judged":
        return f"share of judged documents, {depth}"
    if name == "nDCG":
        gain = "gain 2^grade − 1" if parameters.get("dcg") == "exp-log2" else "gain = grade"
        return f"{gain}, discount log2(rank + 1), {depth}; unjudged documents have gain 0"
    unjudged = "are ignored" if name in ("Bpref", "infAP") else "count as not relevant"
    extra = f", persistence {parameters.get('p', 0.8)}" if name == "RBP" else ""
    return f"relevant: grade {least} or higher, {depth}{extra}; unjudged documents {unjudged}"


def _split(text: str) -> Iterable[str]:
    """At white space and commas outside parentheses."""
    name, depth = "", 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth == 0 and (character.isspace() or character == ","):
            if name:
                yield name
            name = ""
        elif not character.isspace():
            name += character
    if name:
        yield name


def _unknown(name: str) -> str:
    base = name.partition("@")[0].partition("(")[0]
    similar = get_close_matches(base, ir_measures.measures.registry, n=3, cutoff=0.4)
    suggestion = f" Did you mean {' or '.join(similar)}?" if similar else ""
    return (
        f'"{name}" is not a measure of ir-measures.{suggestion} '
        'Write names such as "nDCG@10", "P@20" or "AP(rel=2)".'
    )
