"""HTML made of Markdown, as all pages need it."""

from __future__ import annotations

ACCESSIBLE = {
    # Wide parts scroll, and a keyboard can scroll only what takes the focus.
    "<table>": '<div class="table-wrap" tabindex="0"><table>',
    "</table>": "</table></div>",
    "<pre>": '<pre tabindex="0">',
    # The corner of a table is the head of nothing.
    "<th></th>": "<td></td>",
}


def accessible(html: str) -> str:
    for tag, better in ACCESSIBLE.items():
        html = html.replace(tag, better)
    return html
