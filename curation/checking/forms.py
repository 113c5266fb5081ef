"""Forms for the labels of an abstract, which check the shape of the input."""

from __future__ import annotations

import re
from typing import NamedTuple

from django.http import QueryDict

from corpus.models import Document
from curation.checking.boundaries import cut, joined, lengths_of, split
from curation.checking.services import LabelError


class SentLabels(NamedTuple):
    """The labels of a form, and the lengths of its sentences as `boundaries.lengths_of`."""

    labels: list[str]
    lengths: list[int]

    def sentences(self, document: Document) -> list[str]:
        """Raises LabelError if the text has changed."""
        try:
            return cut(document.sentences, self.lengths)
        except ValueError as error:
            raise LabelError(
                f"The text of {document.docno} changed since this page was shown. Reload it."
            ) from error


def sent_labels(data: QueryDict, document: Document) -> SentLabels:
    """The labels in order, and the lengths; without lengths, those of the stored sentences.

    Raises:
        LabelError: a length is not a whole number.
    """
    try:
        lengths = [int(length) for length in data.getlist("length")]
    except ValueError as error:
        raise LabelError("This form is incomplete. Reload the page and check again.") from error
    return SentLabels(data.getlist("label"), lengths or lengths_of(document.sentences))


def moved(sent: SentLabels, step: str, data: QueryDict) -> SentLabels:
    """The labels and lengths after "join-2" or "split-2", counted from 0; as they are otherwise.

    The place of a split is in the field "place-2", in characters without white space. A joined
    sentence has the label of its first part, and both parts of a split one have its label.

    Raises:
        LabelError: there is no such sentence or place.
    """
    match = re.fullmatch(r"(join|split)-(\d{1,4})", step)
    if match is None:
        return sent
    number = int(match.group(2))
    try:
        if match.group(1) == "join":
            labels = [*sent.labels[: number + 1], *sent.labels[number + 2 :]]
            return SentLabels(labels, joined(sent.lengths, number))
        lengths = split(sent.lengths, number, int(data.get(f"place-{number}", "")))
        return SentLabels([*sent.labels[: number + 1], *sent.labels[number:]], lengths)
    except (ValueError, IndexError) as error:
        raise LabelError("Choose the word before which the sentence is split.") from error
