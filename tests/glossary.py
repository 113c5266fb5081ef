"""`python -m tests.glossary`: the words of docs/glossary.md are used, and no others for the same.

It fails if a word of the glossary is on no other page and in no module, or if a word of the table
"Words with another name here" is in a template, a script, a page of the docs or a module.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from tests.rooms import ROOT, tracked

GLOSSARY = "docs/glossary.md"
# Decisions and the changelog may name what was before. Tests quote what people and files may say.
READ = ("templates", "static/js", "docs/*.md", "*.py", "README.md", "CONTRIBUTING.md")
NOT_READ = (GLOSSARY, "docs/adr", "docs/changelog.md", "tests", "bench")


def texts() -> dict[str, str]:
    """The text of each file of the project that is read, by its name."""
    paths = tracked(*READ, *(f":!{name}" for name in NOT_READ))
    return {str(path): (ROOT / path).read_text() for path in paths}


def terms(glossary: str) -> list[str]:
    """The words that the glossary explains."""
    cells = re.findall(r"^\| (\*\*.+?) \|", glossary, re.M)
    return [term for cell in cells for term in re.split(r"\W*, \W*", cell.strip("*"))]


def other_words(glossary: str) -> dict[str, str]:
    """The words that are not used, each with the word to use."""
    _, _, table = glossary.partition("| not | but |")
    rows = re.findall(r"^\| (.+) \| (.+) \|$", table, re.M)
    return {word: instead for words, instead in rows for word in words.split(", ")}


def whole_word(word: str) -> re.Pattern[str]:
    """Matches the word in any case, also where a line ends between its parts."""
    return re.compile(
        rf"(?<![\w-]){re.escape(word)}(?![\w-])".replace(r"\ ", r"\s+"), re.IGNORECASE
    )


def unused_terms(glossary: str, read: dict[str, str]) -> Iterator[str]:
    for term in terms(glossary):
        # "judgments", "frozen" and "curators" are the same words.
        if not any(re.search(rf"\b{re.escape(term)}", text, re.I) for text in read.values()):
            yield f'{GLOSSARY}: "{term}" is used nowhere else. Remove it, or use it.'


def words_to_replace(glossary: str, read: dict[str, str]) -> Iterator[str]:
    for word, instead in other_words(glossary).items():
        pattern = whole_word(word)
        for name, text in read.items():
            for found in pattern.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                yield f'{name}:{line}: "{found.group()}" has another name here: {instead}.'


def main() -> int:
    glossary, read = (ROOT / GLOSSARY).read_text(), texts()
    problems = [*unused_terms(glossary, read), *words_to_replace(glossary, read)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
