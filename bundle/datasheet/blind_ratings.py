"""The sentences of a release about grades that adjudicators gave blind. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill

from adjudication.blind.figures import Anchoring, BlindFigures, FalseAgreement, Share
from web.words import count_noun


def _share(share: Share) -> str:
    """The share in percent, with its interval."""
    if share.percents is None:
        return ""
    value, low, high = share.percents
    return f"{share.part:,} ({value:.1f} %, 95 % interval {low:.1f} to {high:.1f} %)"


def blind_first_sentence(figures: Anchoring) -> str:
    """The share of decisions that differ from the grade given before the judgments."""
    if not figures.changed.total:
        return "Adjudicators grade a case before they see the two judgments."
    cases = count_noun(figures.changed.total, "case")
    return (
        f"Adjudicators graded {cases} before they saw the two judgments. "
        f"The decision is another grade in {_share(figures.changed)}, "
        f"of which {figures.to_a_judge.part:,} moved to the grade of a judge."
    )


def spot_check_sentence(figures: FalseAgreement) -> str:
    """The share of pairs with an agreed grade to which an adjudicator gave another one."""
    if not figures.share.total:
        return "Adjudicators also grade some pairs on which both judges agreed."
    pairs = count_noun(figures.share.total, "pair")
    return (
        f"Adjudicators graded {pairs} on which both judges agreed, without seeing their grade. "
        f"They gave another grade to {_share(figures.share)}. The labels are those of the judges."
    )


def blind_sentences(figures: BlindFigures) -> Iterator[tuple[str, str]]:
    """A caption and its sentence for each of the two that is in use, or was."""
    if figures.blind_first or figures.anchoring.changed.total:
        yield "Blind first", blind_first_sentence(figures.anchoring)
    if figures.spot_check_share or figures.overall.share.total:
        yield "Spot checks", spot_check_sentence(figures.overall)


def blind_paragraphs(figures: BlindFigures) -> Iterator[str]:
    """Lines of the README."""
    for _, sentence in blind_sentences(figures):
        yield fill(sentence, 100)
        yield ""
