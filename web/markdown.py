"""Markdown that people wrote, to HTML that cannot run anything."""

from __future__ import annotations

import nh3
from markdown_it import MarkdownIt

TAGS = {
    *("p", "br", "hr", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li"),
    *("h2", "h3", "h4", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
_parser = MarkdownIt("commonmark", {"html": False}).enable("table")


def to_html(text: str) -> str:
    return nh3.clean(
        _parser.render(text), tags=TAGS, attributes={"a": {"href"}}, url_schemes={"http", "https", "mailto"}
    )
