"""The text of a paper on the pages where it is judged, decided or looked at again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from django.template import Library
from django.utils.safestring import SafeString, mark_safe

from annotation.presentation import Sentence

register = Library()


@register.simple_tag
def sentences(shown: Sequence[Sentence], marked: Collection[int] | str = "") -> SafeString:
    """A paragraph for each sentence; those of the query's facet are in bold.

    `marked` has the numbers, from 1, of those that a question is about; "" is none. A response can
    have 400 sentences, and a template takes 12 times as long.
    """
    if not shown:
        return mark_safe('<p class="quiet">No abstract available.</p>')
    numbers = set(marked)
    return mark_safe(
        "\n".join(
            _paragraph(sentence, number in numbers)
            for number, sentence in enumerate(shown, start=1)
        )
    )


def _paragraph(sentence: Sentence, is_marked: bool) -> str:
    text = escape(sentence.text)
    label = f' data-label="{escape(sentence.label)}"' if sentence.label else ""
    if sentence.in_facet:
        text = f'<strong class="in-facet">{text}</strong>'
    if is_marked:
        text = f'<mark class="in-question">{text}</mark>'
    return f"<p{label}>{text}</p>"
