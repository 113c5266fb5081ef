"""The text of a paper on the pages where it is judged, decided or looked at again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from django.template import Library
from django.utils.safestring import SafeString, mark_safe

from annotation.presentation import Sentence

register = Library()


@register.simple_tag
def sentences(shown: Sequence[Sentence], marks: Mapping[int, str] | None = None) -> SafeString:
    """A paragraph for each sentence; those of the query's facet are in bold.

    `marks` are the numbers of sentences that are aspects, and who marked them.

    A response can have 400 of them, and a template takes 12 times as long.
    """
    if not shown:
        return mark_safe('<p class="quiet">No abstract available.</p>')
    if not marks:
        return mark_safe("\n".join(map(_paragraph, shown)))
    return mark_safe(
        "\n".join(
            _paragraph(sentence, _aspect(number, marks[number]) if number in marks else "")
            for number, sentence in enumerate(shown, start=1)
        )
    )


def _aspect(number: int, judges: str) -> str:
    by = f' data-marked-by="{escape(judges)}"' if judges else ""
    return f' data-aspect="{number}"{by}'


def _paragraph(sentence: Sentence, more: str = "") -> str:
    text = escape(sentence.text)
    label = f' data-label="{escape(sentence.label)}"' if sentence.label else ""
    return (
        f'<p{label}{more}><strong class="in-facet">{text}</strong></p>'
        if sentence.in_facet
        else f"<p{label}{more}>{text}</p>"
    )
