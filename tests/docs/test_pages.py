"""Every link and every file that the docs name exists, and every page opens with its readers."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest

from tests.docs.markdown import PAGES, ROOT, anchors_of, name_of, prose_of

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FOLDERS = sorted(path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != ".")
# Files and folders that only a running installation has.
MADE = ("var/", "site/", "staticfiles/")


@pytest.mark.parametrize("document", PAGES, ids=name_of)
def test_every_relative_link_leads_somewhere(document):
    broken = []
    for link in LINK.findall(prose_of(document)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            broken.append(link)
    assert not broken


@pytest.mark.parametrize("document", PAGES, ids=name_of)
def test_every_named_file_exists(document):
    """A path in backticks whose first folder is one of the project's."""
    named = [code for code in CODE.findall(prose_of(document)) if "/" in code and " " not in code]
    paths = [code for code in named if code.split("/")[0] in FOLDERS and not code.startswith(MADE)]
    # `release/gate/checks.py:CHECKS` names a thing in a file; `tests/release/` is a folder.
    missing = [path for path in paths if not (ROOT / path.split(":")[0]).exists()]
    # `reports/` is a room, and a folder of each release with JSON, CSV and SVG files.
    missing = [path for path in missing if not path.startswith("reports/") or ".py" in path]
    assert not [path for path in missing if not re.search(r"[<*{…?]|NAME|SLUG", path)]


@pytest.mark.parametrize("document", PAGES, ids=name_of)
def test_every_named_test_exists(document):
    paths = re.findall(r"\btests/[\w/]+(?:\.\w+)?", document.read_text())
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_every_attack_has_its_test_and_every_test_of_attacks_its_row():
    """That the tests exist is checked below, as for each name in a file."""
    tables = (ROOT / "docs/attacks.md").read_text().split("## Measured")[0]
    rows = [line for line in tables.splitlines() if line.startswith("| ") and "---" not in line]
    named = [re.findall(r"`tests/[\w/]+\.py:(\w+)`", row) for row in rows]
    without = [row for row, tests in zip(rows, named, strict=True) if not tests]
    tried = re.findall(r"def (test_\w+)", (ROOT / "tests/accounts/test_attacks.py").read_text())

    assert set(without) == {"| attack | what the server does | test |"}
    assert set(tried) <= {name for tests in named for name in tests}


@pytest.mark.parametrize("document", PAGES, ids=name_of)
def test_every_name_in_a_file_is_in_that_file(document):
    """A code span such as `release/gate/checks.py:CHECKS`, as CONTRIBUTING.md writes them."""
    places = re.findall(r"`([\w/]+\.\w+):(\w+)`", prose_of(document))
    assert not [
        f"{path}:{name}"
        for path, name in places
        if not re.search(rf"\b{name}\b", (ROOT / path).read_text())
    ]


# The index and the two pages that include a file of the root have no text of their own.
WITHOUT_READERS = {"index.md", "contributing.md", "changelog.md"}


@pytest.mark.parametrize(
    "document",
    [path for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in WITHOUT_READERS],
    ids=name_of,
)
def test_a_page_opens_with_its_readers(document):
    title, opening = document.read_text().split("\n\n")[:2]
    assert title.startswith("# ")
    assert opening.startswith("For ")
    assert "ou will " in opening
