"""The text of a paper on the pages where it is judged, decided or looked at again."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from django.template import Library
from django.utils.safestring import SafeString, mark_safe

from annotation.presentation import Sentence

register = Library()


@register.simple_tag
def sentences(shown: Sequence[Sentence]) -> SafeString:
    """A paragraph for each sentence; those of the query's facet are in bold.

    A response can have 400 of them, and a template takes 12 times as long.
    """
    if not shown:
        return mark_safe('<p class="quiet">No abstract available.</p>')
    return mark_safe("\n".join(map(_paragraph, shown)))


def _paragraph(sentence: Sentence) -> str:
    text = escape(sentence.text)
    label = f' data-label="{escape(sentence.label)}"' if sentence.label else ""
    return (
        f'<p{label}><strong class="in-facet">{text}</strong></p>'
        if sentence.in_facet
        else f"<p{label}>{text}</p>"
    )
