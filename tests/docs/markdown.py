"""The parts of a Markdown page that tests look at: fenced blocks, links, headings, paths."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "CHANGELOG.md",
        *(ROOT / "docs").rglob("*.md"),
    ]
)
NOT_RUN = re.compile(r"<!-- not run: (.+) -->")
FENCE = re.compile(r"( *)```([^\n`]*)")


class Block(NamedTuple):
    page: str
    line: int  # of the opening fence
    language: str
    text: str
    not_run: str  # the reason, or ""


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks. A marker counts if it is the last text before the fence."""
    blocks: list[Block] = []
    lines = page.read_text().split("\n")
    number = 0
    reason = ""
    while number < len(lines):
        if marker := NOT_RUN.search(lines[number]):
            reason = marker[1]
        elif fence := FENCE.fullmatch(lines[number]):
            start, indent = number, fence[1]
            number += 1
            inside: list[str] = []
            while lines[number] != f"{indent}```":
                inside.append(lines[number].removeprefix(indent))
                number += 1
            text = "\n".join(inside) + "\n"
            blocks.append(Block(name_of(page), start + 1, fence[2].strip(), text, reason))
            reason = ""
        elif lines[number].strip():
            reason = ""
        number += 1
    return blocks


def prose_of(page: Path) -> str:
    """The page without its fenced blocks."""
    return re.sub(r"^( *)```.*?^\1```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def anchors_of(page: Path) -> set[str]:
    """What a link may name after `#`: GitHub's slug of every heading."""
    headings = re.findall(r"^#+ (.+)$", prose_of(page), flags=re.MULTILINE)
    return {slug(heading) for heading in headings}


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
