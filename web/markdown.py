"""HTML made of Markdown, as all pages need it."""

from __future__ import annotations

# Wide parts scroll, and a keyboard can scroll only what takes the focus.
FOCUSABLE = {
    "<table>": '<div class="table-wrap" tabindex="0"><table>',
    "</table>": "</table></div>",
    "<pre>": '<pre tabindex="0">',
}


def focusable(html: str) -> str:
    for tag, with_focus in FOCUSABLE.items():
        html = html.replace(tag, with_focus)
    return html
