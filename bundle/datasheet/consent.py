"""The sentences about the consent of judges, as counts. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bundle.records import ReleasedConsent

FROM_ELSEWHERE = "They judged before the collection asked for it, or their judgments were imported."


def consent_sentence(consent: ReleasedConsent) -> str:
    """The numbers for each version; "" if the collection never asked for consent."""
    if not consent.versions:
        return ""
    sentences = []
    for version in consent.versions:
        withdrawn = f" {version.withdrawn:,} of them withdrew later." if version.withdrawn else ""
        sentences.append(
            f"Version {version.number:,} of the text: {version.agreed:,} of "
            f"{consent.judges:,} judges agreed.{withdrawn}"
        )
    if consent.without:
        sentences.append(f"{consent.without:,} agreed to no version. {FROM_ELSEWHERE}")
    return " ".join(sentences)
