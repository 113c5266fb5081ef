"""The meaning of labels in imported files, as lines of LABEL=GRADE. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from web.errors import UserFacingError


class BadLabelLine(UserFacingError):
    def __init__(self, line: str) -> None:
        super().__init__(
            f"Invalid meaning of a label: {line!r}. Write the label, “=” and a grade, such as "
            "Relevant=2."
        )


def parse_labels(lines: Iterable[str]) -> dict[str, str]:
    """The meaning of each label. The last “=” of a line ends the label; blank lines are skipped.

    Raises:
        BadLabelLine: a line has no “=”, or nothing before or after it.
    """
    labels = {}
    for line in lines:
        if not line.strip():
            continue
        label, _, meaning = (part.strip() for part in line.rpartition("="))
        if not label or not meaning:
            raise BadLabelLine(line)
        labels[label] = meaning
    return labels
