"""Markdown files of a bundle as HTML. A description that a publisher wrote is in these files."""

from __future__ import annotations

import re

from django.utils.safestring import SafeString

from web.markdown import written_html

FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
FIRST_HEADING = 3  # the page has the first two levels


def preview_of(markdown: str) -> SafeString:
    """The HTML of the text, without its YAML front matter. A link into the bundle leads nowhere."""
    text = FRONT_MATTER.sub("", markdown, count=1)
    return SafeString(written_html(text, first_heading=FIRST_HEADING))
