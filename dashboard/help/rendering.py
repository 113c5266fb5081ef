"""The Markdown of `docs/` as HTML for `/help/`. Pure.

`make docs` builds the same files with Sphinx, which is no dependency of a server. They use few of
its directives: `toctree`, which becomes a list of links, and `include`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from web.markdown import accessible

COMMENT = re.compile(r"^<!--.*?-->\n", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"^```\{include\} (\S+)\n(?::.*\n)*```$", re.MULTILINE)
DIRECTIVE = re.compile(r"\{(\w+)\}")
HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
NO_ANCHOR = re.compile(r"[^\w\- ]")
ROOT_PAGES = {"CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog"}
INDEX = "index"


class DocsHeading(NamedTuple):
    anchor: str
    text: str


class DocsPage(NamedTuple):
    """A page: its title, the HTML below it, and its headings of the second level."""

    title: str
    html: str
    headings: tuple[DocsHeading, ...]


@cache
def names_of_pages(docs: Path) -> frozenset[str]:
    """The names of all pages, such as "release" and "adr/0003-stored-zip"."""
    files = docs.rglob("*.md")
    return frozenset(path.relative_to(docs).with_suffix("").as_posix() for path in files)


@cache
def rendered_page(docs: Path, name: str, address: str) -> DocsPage:
    """The page of that name, which must be one of `names_of_pages`.

    `address` is that of the first page, and the others are below it.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    links = _Links(docs, name, address)
    tokens = parser.parse(_text_of(docs, name))
    headings = [*_anchored(tokens)]
    for token in tokens:
        for child in token.children or ():
            links.lead_on(child)
    has_title = tokens[0].tag == "h1"
    below_title = _without_directives(tokens[3:] if has_title else tokens, links)
    html = str(parser.renderer.render([*below_title], parser.options, {}))
    return DocsPage(
        title=title_of(docs, name),
        html=accessible(html),
        headings=tuple(heading for level, heading in headings if level == "h2"),
    )


def title_of(docs: Path, name: str) -> str:
    heading = HEADING.search(_text_of(docs, name))
    return heading[1].replace("`", "") if heading else name


@cache
def _text_of(docs: Path, name: str) -> str:
    path = docs / f"{name}.md"

    def included(match: re.Match[str]) -> str:
        return (path.parent / match[1]).read_text(encoding="utf-8")

    return COMMENT.sub("", INCLUDE.sub(included, path.read_text(encoding="utf-8")))


class _Links(NamedTuple):
    """The targets of the links of a page."""

    docs: Path
    name: str
    address: str

    def lead_on(self, token: Token) -> None:
        """Give a link to a page or a picture of the docs its address below `/help/`.

        A link to another file of the project leads nowhere on a server, so it stays text.
        """
        attribute = {"link_open": "href", "image": "src"}.get(token.type)
        if attribute is None:
            return
        target = str(token.attrs[attribute])
        if "://" in target or target.startswith(("#", "mailto:")):
            return
        if url := self._url(target):
            token.attrs[attribute] = url
        else:
            del token.attrs[attribute]

    def _url(self, target: str) -> str:
        path, hash_sign, anchor = target.partition("#")
        if path.startswith("docs/"):  # of a page at the root that is included
            path = path.removeprefix("docs/")
        place = normpath(PurePosixPath(self.name).parent / path)
        name = ROOT_PAGES.get(place.removeprefix("../"), place.removesuffix(".md"))
        if name in names_of_pages(self.docs):
            return f"{self.page_url(name)}{hash_sign}{anchor}"
        if place.startswith("pictures/") and (self.docs / place).exists():  # not in a wheel
            return f"{self.address}{place}"
        return ""

    def page_url(self, name: str) -> str:
        return self.address if name == INDEX else f"{self.address}{name}/"


def _anchored(tokens: Sequence[Token]) -> Iterator[tuple[str, DocsHeading]]:
    """Give each heading the anchor that links to it use: GitHub's, as Sphinx makes them, too."""
    seen: Counter[str] = Counter()
    for token, inline in pairwise(tokens):
        if token.type != "heading_open":
            continue
        text = "".join(child.content for child in inline.children or ())
        anchor = NO_ANCHOR.sub("", text.lower()).replace(" ", "-")
        repeated = f"-{seen[anchor]}" if seen[anchor] else ""
        seen[anchor] += 1
        token.attrs["id"] = f"{anchor}{repeated}"
        yield token.tag, DocsHeading(f"{anchor}{repeated}", text)


def _without_directives(tokens: Iterable[Token], links: _Links) -> Iterator[Token]:
    """The tokens with a list of links in place of each `toctree`."""
    for token in tokens:
        if token.type == "fence" and DIRECTIVE.match(token.info):
            yield from _list_of_links(token, links)
        else:
            yield token


def _list_of_links(toctree: Token, links: _Links) -> Iterator[Token]:
    lines = toctree.content.splitlines()
    captions = (line.split(maxsplit=1)[1] for line in lines if line.startswith(":caption:"))
    caption = next(captions, "")
    entries = [line for line in lines if line and not line.startswith(":")]
    here = PurePosixPath(links.name).parent
    pages = sorted(names_of_pages(links.docs)) if ":glob:" in lines else []
    markdown = [f"## {caption}", ""] if caption else []
    for entry in entries:
        pattern = (here / entry).as_posix()
        matching = [page for page in pages if PurePosixPath(page).match(pattern)] or [pattern]
        markdown += [
            f"- [{title_of(links.docs, page)}]({links.page_url(page)})"
            for page in matching
            if page != links.name
        ]
    yield from MarkdownIt("commonmark").parse("\n".join(markdown))
