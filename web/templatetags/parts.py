"""The parts of pages that several templates share. `/parts/` of the demo shows all of them."""

from __future__ import annotations

import re

from django.template import Library
from django.template.loader import render_to_string
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from web.markdown import written_html
from web.program import command_text, terminal_command

register = Library()
register.filter(command_text)
register.filter(terminal_command)


@register.filter
def markdown(text: str, first_heading: int) -> SafeString:
    """A text that a person wrote in Markdown. `first_heading` is the level of its headings."""
    return mark_safe(written_html(text, first_heading=first_heading, breaks=True))


@register.filter
def code_spans(text: str) -> SafeString:
    """A sentence of a README on a page: `ratings.csv` between backticks is code."""
    return mark_safe(re.sub("`([^`]+)`", r"<code>\1</code>", escape(text)))


@register.simple_block_tag
def empty_state(content: str, title: str = "", level: int = 2) -> SafeString:
    """A text for an empty page, with a button that fills it. `level` is that of the heading."""
    return render_to_string(
        "web/_empty_state.html", {"title": title, "content": content, "tag": f"h{level}"}
    )


@register.simple_block_tag
def page_head(content: str, title: str) -> SafeString:
    """The head of a page without buttons: its title, and what it is for."""
    head = '<div class="page-head">\n<div>\n<h1>{}</h1>\n{}\n</div>\n</div>'
    return format_html(head, title, content)


@register.simple_block_tag
def form_dialog(content: str, name: str, title: str, refused: bool = False) -> SafeString:
    """A short form as a dialog, which a button with `popovertarget="NAME"` opens without a script.

    A refused form is shown open, in its place on the page.
    """
    opening = "<dialog" if not refused else '<div class="dialog-open"'
    closing = "</dialog>" if not refused else "</div>"
    return format_html(
        f'{opening}{"" if refused else " popover"} id="{{0}}" aria-labelledby="{{0}}-title">\n'
        f'<h2 id="{{0}}-title">{{1}}</h2>\n{{2}}\n{closing}',
        *(name, title, content),
    )


@register.simple_tag
def meter(done: int, total: int, label: str) -> SafeString:
    """`done` of `total`, both counts, as a bar. The label says of what.

    A page can have 200 of them, and a template takes several times as long.
    """
    return format_html(
        '<meter min="0" max="{}" value="{}" aria-label="{}">{} of {}</meter>',
        *(total, done, label, done, total),
    )


@register.simple_tag
def heads(*captions: str) -> SafeString:
    """Heads of columns. "#Pairs" is that of a column of numbers, and "(Change)" is not seen."""
    return format_html_join("\n", '<th scope="col"{}>{}</th>', map(_head, captions))


def _head(caption: str) -> tuple[SafeString, str]:
    words = caption.removeprefix("#")
    if words.startswith("("):
        words = format_html('<span class="visually-hidden">{}</span>', words.strip("()"))
    return mark_safe(' class="number"' if caption.startswith("#") else ""), words


@register.simple_tag
def table_head(*captions: str) -> SafeString:
    """The head of a table whose columns have the captions of `heads`."""
    return format_html("<thead>\n<tr>\n{}\n</tr>\n</thead>", heads(*captions))
