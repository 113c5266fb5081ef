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


def blindness_sentence(check: Mapping[str, Any]) -> str:
    """The blindness check in two sentences, from its counts."""
    people, compared = check["people"], check["compared"]
    searched, left = (sum(check[name].values()) for name in ("searched", "unsearchable"))
    found = check["findings_number"]
    number = people.get("owner_annotators", 0)  # earlier checks had none
    owners = f", {count_noun(number, 'owner-annotator')}" if number else ""
    not_searched = f" {count_noun(left, 'other name')} could not be searched for." if left else ""
    answers = count_noun(check["answers"], "page or API answer", "pages and API answers")
    return (
        f"Qrelsmith requested {answers} "
        f"as {count_noun(people['annotators'], 'annotator')}{owners} and "
        f"{count_noun(people['adjudicators'], 'adjudicator')}, and searched them for "
        f"{count_noun(searched, 'name or text', 'names and texts')} that they must not "
        f"get.{not_searched} For {count_noun(compared['pairs'], 'pair')} it compared "
        f"{count_noun(compared['answers'], 'answer')} before and after another person's judgment. "
        f"It found {count_noun(found, 'fault') if found else 'nothing'}."
    )


def proofs_paragraph(reports: ReleasedReports) -> Iterator[str]:
    """Lines of the README, after those on how judging was blind."""
    if proof := reports.current.get("display_proof"):
        yield fill(f"{display_sentence(proof)} See `reports/display_proof.json`.", 100)
        yield ""
    if check := reports.current.get("blindness"):
        yield fill(f"{blindness_sentence(check)} See `reports/blindness.json`.", 100)
        yield ""
