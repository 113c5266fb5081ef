"""The text of a paper on the pages where it is judged, decided or looked at again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from html import escape

from django.template import Library
from django.utils.safestring import SafeString, mark_safe

from annotation.presentation import Sentence

register = Library()


@register.simple_tag
def sentences(
    shown: Sequence[Sentence],
    marks: Mapping[int, str] | None = None,
    asked_about: Collection[int] | str = "",
) -> SafeString:
    """A paragraph for each sentence; those of the query's facet are in bold.

    `marks` are the numbers of sentences that are aspects, and who marked them. `asked_about` has
    the numbers of those that a question is about; "" is none. Numbers count from 1. A response can
    have 400 sentences, and a template takes 12 times as long.
    """
    if not shown:
        return mark_safe('<p class="quiet">No abstract available.</p>')
    if not marks and not asked_about:
        return mark_safe("\n".join(map(_paragraph, shown)))
    aspects, numbers = marks or {}, set(asked_about)
    return mark_safe(
        "\n".join(
            _paragraph(
                sentence,
                _aspect(number, aspects[number]) if number in aspects else "",
                number in numbers,
            )
            for number, sentence in enumerate(shown, start=1)
        )
    )


def _aspect(number: int, judges: str) -> str:
    by = f' data-marked-by="{escape(judges)}"' if judges else ""
    return f' data-aspect="{number}"{by}'


def _paragraph(sentence: Sentence, more: str = "", is_asked_about: bool = False) -> str:
    text = escape(sentence.text)
    label = f' data-label="{escape(sentence.label)}"' if sentence.label else ""
    if sentence.in_facet:
        text = f'<strong class="in-facet">{text}</strong>'
    if is_asked_about:
        text = f'<mark class="in-question">{text}</mark>'
    return f"<p{label}{more}>{text}</p>"
