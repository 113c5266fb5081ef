"""The sentences of a release about the proofs that it has. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill
from typing import Any

from bundle.records import ReleasedReports
from web.words import count_noun


def display_sentence(proof: Mapping[str, Any]) -> str:
    """The display proof in a sentence, from its counts."""
    judgments, different = proof["judgments"], proof["different"]
    outcome = "All have" if different == 0 else f"{judgments - different:,} have"
    but = f", and {different:,} not" if different else ""
    return (
        f"The digests of {count_noun(judgments, 'judgment')} were derived again from the stored "
        "query, facet, marked sentences, candidate and version of the guideline. "
        f"{outcome} the digest that the judgment was saved with{but}."
    )


def proofs_paragraph(reports: ReleasedReports) -> Iterator[str]:
    """Lines of the README, after those on how judging was blind."""
    if proof := reports.current.get("display_proof"):
        yield fill(f"{display_sentence(proof)} See `reports/display_proof.json`.", 100)
        yield ""
