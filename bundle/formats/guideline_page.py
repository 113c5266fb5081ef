"""A guideline as a page to be read and printed: text in, HTML out. Pure.

The page needs no other file, no script and no network. It has the whole text, as annotators see it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from bundle.records import ReleasedGuideline
from corpus.digests import json_digest
from web.markdown import written_html

STYLE = """
:root { color-scheme: light; }
body { max-width: 44rem; margin: 2.5rem auto; padding: 0 1.25rem; color: #1b2221;
  background: #ffffff; font: 1rem/1.55 Georgia, "Liberation Serif", serif;
  overflow-wrap: anywhere; }
h1, h2, h3, .badge, .facts { font-family: system-ui, "Segoe UI", Roboto, "Noto Sans",
  "Liberation Sans", sans-serif; line-height: 1.3; }
h1 { font-size: 1.6rem; margin: 0 0 0.25rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; padding-top: 0.75rem;
  border-top: 1px solid #dcd8cf; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 0.35rem; }
p { margin: 0 0 0.75rem; }
.facts { color: #4f5957; font-size: 0.9rem; }
.badge { display: inline-block; min-width: 1.1em; padding: 0 0.35em; margin-right: 0.35em;
  border: 1.5px solid #0d5a5a; border-radius: 0.3em; text-align: center; color: #0d5a5a; }
.definition { font-weight: 700; }
.example { margin-left: 1rem; padding-left: 0.85rem; border-left: 3px solid #b3d5d1; }
footer { margin-top: 2rem; }
@page { margin: 18mm 17mm; }
@media print {
  body { max-width: none; margin: 0; padding: 0; font-size: 10.5pt; }
  h2, h3 { break-after: avoid; }
  section.grade { break-inside: avoid; }
  p { orphans: 3; widows: 3; }
}
"""


def guideline_page(
    guideline: ReleasedGuideline,
    *,
    collection: str,
    facet: str,
    queries: int,
    digest: str,
) -> str:
    """`collection` and `facet` are their names, `facet` "" for a collection without facets.

    `queries` is the number of queries that were opened under the guideline, and `digest` the
    SHA-256 of its text in the manifest.
    """
    subject = f"{facet} guideline" if facet else "Guideline"
    title = escape(f"{subject}, version {guideline.version}")
    name = escape(collection)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}: {name}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
        "<header>",
        f"<h1>{title}</h1>",
        f'<p class="facts">{name}. Queries judged under this version: {queries}.</p>',
        "</header>",
        "<main>",
        *_instructions(guideline.instructions),
        "<h2>Grades</h2>",
        *(part for grade in reversed(guideline.grades) for part in _grade(grade)),
        "</main>",
        f'<footer><p class="facts">SHA-256 of this text in manifest.json: {digest}</p></footer>',
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def _instructions(text: str) -> Iterator[str]:
    if text.strip():
        yield "<h2>Instructions</h2>"
        yield _written(text, first_heading=3)


def _grade(grade: Mapping[str, Any]) -> Iterator[str]:
    """The grade with its name, definition, detail and example; parts without text are left out."""
    name, definition, detail, example = (
        str(grade.get(key) or "").strip() for key in ("name", "definition", "detail", "example")
    )
    yield '<section class="grade">'
    yield f'<h3><span class="badge">{int(grade["grade"])}</span> {escape(name)}</h3>'
    if definition:
        yield f'<p class="definition">{escape(definition)}</p>'
    if detail:
        yield _written(detail, first_heading=4)
    if example:
        yield '<div class="example">'
        yield "<p><b>Example</b></p>"
        yield _written(example, first_heading=4)
        yield "</div>"
    yield "</section>"


def _written(text: str, *, first_heading: int) -> str:
    """The HTML of Markdown, as on the pages of annotators."""
    return written_html(text, first_heading=first_heading, breaks=True).rstrip("\n")


def guideline_digest(guideline: ReleasedGuideline) -> str:
    """SHA-256 (hex) of the text: the canonical JSON of [instructions, grades]."""
    return json_digest([guideline.instructions, list(guideline.grades)])
