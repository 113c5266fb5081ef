"""Markdown files of a bundle as HTML that is safe on our pages.

A description that a publisher wrote is in these files. So HTML in them is shown as text, images are
not loaded, and only links to web pages and addresses work.
"""

from __future__ import annotations

import re

from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.token import Token

from web.markdown import accessible

FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
LINKS = ("https://", "http://", "mailto:")
DEEPER = 2  # levels of headings: the page has the first two
DEEPEST = 6


def preview_of(markdown: str) -> SafeString:
    """The HTML of the text, without its YAML front matter."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = parser.parse(FRONT_MATTER.sub("", markdown, count=1))
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1:]) + DEEPER, DEEPEST)}"
        for child in token.children or ():
            _check_link(child)
    return SafeString(accessible(str(parser.renderer.render(tokens, parser.options, {}))))


def _check_link(token: Token) -> None:
    """A link into the bundle leads nowhere on a page."""
    if token.type == "link_open":
        address = str(token.attrGet("href") or "")
        token.attrs = {}
        if address.startswith(LINKS):
            token.attrs = {"href": address, "rel": "nofollow noopener"}
