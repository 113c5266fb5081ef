"""Text that people wrote, for the Markdown and YAML of a release's files: it shows as typed and is nothing else."""

from __future__ import annotations

import json
import re

from django import template

register = template.Library()

CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
SPECIAL = re.compile(r"[\\`*\[\]|~!#$^]|(?<![^\W_])_|_(?![^\W_])")  # "_" inside a word is no emphasis
STARTS_A_BLOCK = re.compile(r"^(?:(?=[-+=])|(\d+)(?=[.)](?: |$)))")  # a list, or the underline of a heading
KNOWN_LICENCES = {  # to the Hub, which calls every other one "other"
    *("apache-2.0", "mit", "gpl-3.0", "cc0-1.0", "cc-by-2.0", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0"),
    *("cc-by-sa-4.0", "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-sa-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-4.0"),
    *("odc-by", "odbl", "pddl"),
}


@register.filter
def md(text: object) -> str:
    """Text inside a line of Markdown."""
    line = " ".join(CONTROL.sub(" ", str(text)).split())
    line = SPECIAL.sub(lambda found: "\\" + found[0], line)
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@register.filter
def md_paragraphs(text: str) -> str:
    """Text of several paragraphs; its line breaks stay."""
    paragraphs: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            paragraphs[-1].append(STARTS_A_BLOCK.sub(r"\1\\", md(line)))
        elif paragraphs[-1]:
            paragraphs.append([])
    return "\n\n".join("\\\n".join(lines) for lines in paragraphs if lines)


@register.filter
def no_html(text: str) -> str:
    """Markdown that may hold no HTML, as on the product's pages."""
    return text.replace("<", "&lt;")


@register.filter
def yaml(text: str) -> str:
    """A string of JSON is one of YAML. No HTML, for readers that take the first lines for Markdown."""
    return json.dumps(text, ensure_ascii=not text.isprintable()).replace("<", "\\u003c")


@register.filter
def hub_licence(licence: str) -> str:
    if not licence:
        return "unknown"
    return licence.lower() if licence.lower() in KNOWN_LICENCES else "other"
