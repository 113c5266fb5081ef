"""HTML made of Markdown, as all pages need it. Pure."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.token import Token

ACCESSIBLE = {
    # Wide parts scroll, and a keyboard can scroll only what takes the focus.
    "<table>": '<div class="table-wrap" tabindex="0"><table>',
    "</table>": "</table></div>",
    "<pre>": '<pre tabindex="0">',
    # The corner of a table is the head of nothing.
    "<th></th>": "<td></td>",
}
LINKS = ("https://", "http://", "mailto:")
DEEPEST = 6


def accessible(html: str) -> str:
    for tag, better in ACCESSIBLE.items():
        html = html.replace(tag, better)
    return html


def written_html(text: str, *, first_heading: int, breaks: bool = False) -> str:
    """The HTML of a text that a person wrote, which is safe on our pages.

    HTML in it is shown as text, and images are not loaded. Links to web pages and addresses open in
    a new tab; others do not work. The highest headings become those of the level `first_heading`,
    and the others follow without a gap. With `breaks`, a line break in a paragraph stays one.
    """
    parser = MarkdownIt("commonmark", {"html": False, "breaks": breaks, "xhtmlOut": False})
    parser = parser.enable("table").disable("image")
    tokens = parser.parse(text)
    headings = [token for token in tokens if token.type in {"heading_open", "heading_close"}]
    levels = sorted({token.tag for token in headings})
    for token in headings:
        token.tag = f"h{min(first_heading + levels.index(token.tag), DEEPEST)}"
    for token in tokens:
        for child in token.children or ():
            _check_link(child)
    return accessible(str(parser.renderer.render(tokens, parser.options, {})))


def _check_link(token: Token) -> None:
    if token.type == "link_open":
        address = str(token.attrGet("href") or "")
        token.attrs = {}
        if address.startswith(LINKS):
            token.attrs = {"href": address, "rel": "nofollow noopener", "target": "_blank"}
