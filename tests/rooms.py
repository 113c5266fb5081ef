"""`python -m tests.rooms`: the size of the house, and its rules for folders, names and docstrings.

It prints how many lines the program and its tests have. It fails if a folder has more than 20
modules side by side, if two classes of the program have the same name, or if a docstring opens
with a word such as "How" or "Whether".
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_MODULES = 20
NOT_THE_PROGRAM = ("tests", "docs", "bench")
# Django and Celery look for these names.
OF_FRAMEWORKS = {"Command", "Migration", "Meta"}
# A docstring says what the thing is or does. With these words it describes something else.
OPENERS = (
    *("How", "Nobody", "Nothing", "One", "That", "What", "Where"),
    *("Whether", "Which", "Who", "Whoever", "Whose", "Why"),
)


def tracked(*patterns: str) -> list[Path]:
    """The files that Git lists for these patterns and that exist, relative to the root."""
    command = ["git", "ls-files", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [Path(name) for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def program() -> list[Path]:
    """The modules of the program without migrations, relative to the root."""
    return [
        module
        for module in tracked("*.py")
        if module.parts[0] not in NOT_THE_PROGRAM and "migrations" not in module.parts
    ]


def crowded_folders(modules: Sequence[Path]) -> Iterator[str]:
    counts = Counter(module.parent for module in modules if module.name != "__init__.py")
    for folder, count in sorted(counts.items()):
        if count > MOST_MODULES:
            yield f"{folder}/ has {count} modules. Make packages of at most {MOST_MODULES}."


def names_used_twice(modules: Sequence[Path]) -> Iterator[str]:
    places = defaultdict(list)
    for module in modules:
        for node in ast.parse((ROOT / module).read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name not in OF_FRAMEWORKS:
                places[node.name].append(f"{module}:{node.lineno}")
    for name, found in sorted(places.items()):
        if len(found) > 1:
            yield f"class {name} is in {', '.join(found)}. Give each thing its own name."


def docstrings_with_openers(modules: Sequence[Path]) -> Iterator[str]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for module in modules:
        for node in ast.walk(ast.parse((ROOT / module).read_text())):
            words = (ast.get_docstring(node) or "").split() if isinstance(node, documented) else []
            if words and words[0] in OPENERS:
                place = f"{module}:{getattr(node, 'lineno', 1)}"
                yield f'{place}: the docstring opens with "{words[0]}". Name its subject.'


def lines_of(paths: Sequence[Path]) -> int:
    return sum((ROOT / path).read_text().count("\n") for path in paths)


def size(modules: Sequence[Path]) -> str:
    pages = [
        path.relative_to(ROOT)
        for folder, ending in (("templates", "html"), ("static", "js"), ("static", "css"))
        for path in (ROOT / folder).rglob(f"*.{ending}")
    ]
    tests = [path.relative_to(ROOT) for path in (ROOT / "tests").rglob("*.py")]
    dictionaries = sum((ROOT / path).read_text().count("dict[str, Any]") for path in modules)
    return (
        f"{lines_of(modules):,} lines of Python in {len(modules)} modules, {lines_of(pages):,} of "
        f"pages, {lines_of(tests):,} of tests; {dictionaries} times dict[str, Any]"
    )


def main() -> int:
    modules = program()
    print(size(modules))
    problems = [
        *crowded_folders(modules),
        *names_used_twice(modules),
        *docstrings_with_openers(modules),
    ]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
