"""README and docs: links lead somewhere, commands exist as they are shown, and what they name is there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import BaseCommand, CommandError, CommandParser, get_commands, load_command_class

ROOT = settings.BASE_DIR
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
COMMAND = re.compile(r"manage\.py (?!\(\))([a-z_]+)((?: [^\n;|&<>`]*)?)")
PATH = re.compile(r"`((?:[a-z_]+/)+[A-Za-z0-9_.]*)(?::[a-z_A-Z]+)?`")
IDS = pytest.mark.parametrize("file", PAGES, ids=lambda file: file.name)


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands(page: Path) -> list[list[str]]:
    """Every `manage.py …` of the page's sh blocks and of its text, as words."""
    text = page.read_text().replace("\\\n", " ")
    blocks = [block for language, block in FENCE.findall(text) if language == "sh"]
    spans = re.findall(r"`([^`\n]*manage\.py [^`\n]*)`", FENCE.sub("", text))
    found = COMMAND.findall("\n".join([*blocks, *spans]))
    return [[name, *shlex.split(rest, comments=True)] for name, rest in found]


@IDS
def test_every_relative_link_has_its_file_and_heading(file):
    for path, anchor in LINK.findall(FENCE.sub("", file.read_text())):
        target = (file.parent / path).resolve() if path else file
        assert target.is_relative_to(ROOT), path
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


def parser_of(name: str) -> CommandParser:
    app = get_commands()[name]
    return (app if isinstance(app, BaseCommand) else load_command_class(app, name)).create_parser("manage.py", name)


@IDS
def test_every_command_takes_what_is_shown(file, capsys):
    for name, *arguments in commands(file):
        assert name in get_commands(), name
        try:
            parser_of(name).parse_args(arguments)
        except (CommandError, SystemExit) as error:
            pytest.fail(f"{name} {arguments}: {error} {capsys.readouterr().err}")
    for name, option in re.findall(r"`([a-z]+_[a-z_]+) (--[a-z-]+)`", file.read_text()):
        assert option in parser_of(name)._option_string_actions, f"{name} {option}"


def test_the_files_that_contributing_names_are_there():
    page = (ROOT / "docs/contributing.md").read_text()
    paths = PATH.findall(page)
    assert len(paths) > 40
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_every_page_is_linked_from_another():
    linked = {(page.parent / path).resolve() for page in PAGES for path, _ in LINK.findall(page.read_text())}
    linked |= {ROOT / path for path in re.findall(r"docs/\w+\.md", (ROOT / "README.md").read_text())}
    assert not [page.name for page in (ROOT / "docs").glob("*.md") if page not in linked]
