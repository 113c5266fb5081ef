"""`make mutate`: would a test notice if this line were wrong?

Draws single changes ("mutants") of the modules below by a seed, makes each in a copy of the tree,
runs the module's tests there and prints every change that no test noticed. It takes hours for all
mutants and is not part of CI; --sample says how many of each module are drawn.

mutmut and cosmic-ray were considered. mutmut draws no sample and changes function bodies only, so
querysets' filters in class bodies and constants stay untried; cosmic-ray changes the work tree
itself. Neither drops a filter's condition, which is the mistake that matters most here.
"""

from __future__ import annotations

import argparse
import ast
import copy
import difflib
import importlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LISTS = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text())
TESTS = {
    str(path.relative_to(ROOT)): [f"tests/{test}" for test in tests]
    for pattern, tests in LISTS["tests"].items()
    for path in sorted(ROOT.glob(pattern))
}
# Imported once here, and inherited by the process of every mutant; none is of this project.
SLOW_IMPORTS = ["pytest", "django.db", "scipy.stats", "pandas", "sklearn.feature_extraction.text"]
OPERATORS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div,
    ast.Div: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
CONDITIONS = {"filter", "exclude", "get", "Q", "update", "When"}
CHAINED = {"filter", "exclude", "distinct", "order_by", "select_for_update"}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Mutant(NamedTuple):
    module: str
    line: int
    source: str  # of the whole module, changed

    def changed(self) -> tuple[str, str]:
        """The lines before and after, without what both share."""
        before = (ROOT / self.module).read_text().splitlines()
        diff = list(difflib.ndiff(before, self.source.splitlines()))
        return tuple(  # type: ignore[return-value]
            " ".join(line[2:].strip() for line in diff if line.startswith(sign)) for sign in "-+"
        )


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Every other node that could stand in this node's place."""

    def but(**fields: object) -> ast.AST:
        other = copy.deepcopy(node)
        for name, value in fields.items():
            setattr(other, name, value)
        return other

    match node:
        case ast.Compare(ops=[operator]) if type(operator) in OPERATORS:
            yield but(ops=[OPERATORS[type(operator)]()])
        case ast.BoolOp(op=operator) | ast.BinOp(op=operator) if type(operator) in OPERATORS:
            yield but(op=OPERATORS[type(operator)]())
        case (
            ast.UnaryOp(op=ast.Not(), operand=operand)
            | ast.UnaryOp(op=ast.Invert(), operand=operand)
        ):
            yield operand
        case ast.Constant(value=bool(value)):
            yield but(value=not value)
        case ast.Constant(value=int(value)):
            yield but(value=value + 1)
        case ast.IfExp(test=test):
            yield but(test=ast.UnaryOp(ast.Not(), test))
        case ast.Return(value=value) if value and ast.unparse(value) != "None":
            yield but(value=None)
        case ast.Expr(value=ast.Call()) | ast.Raise():
            yield ast.Pass()
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in CHAINED:
            yield value
    if (
        isinstance(node, ast.Call)
        and getattr(node.func, "attr", ast.unparse(node.func)) in CONDITIONS
    ):
        for place in range(len(node.keywords)):
            yield but(keywords=node.keywords[:place] + node.keywords[place + 1 :])
    if isinstance(node, COMPREHENSIONS):
        for place, generator in enumerate(node.generators):
            if generator.ifs:
                other = copy.deepcopy(node)
                other.generators[place].ifs = []
                yield other


def tried(node: ast.AST, above: ast.AST | None = None) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Every node with what could stand in its place; no annotations, decorators or f-strings."""
    skipped = {"annotation", "returns", "decorator_list"}
    for name, value in ast.iter_fields(node):
        if name in skipped or isinstance(node, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from tried(child, node)
    if isinstance(node, ast.If | ast.While):
        yield node.test, ast.UnaryOp(ast.Not(), node.test)
    yield from ((node, other) for other in changes(node))


def mutants_of(module: str) -> list[Mutant]:
    source = (ROOT / module).read_text()
    lines = source.encode().splitlines(keepends=True)
    found = {}
    for node, other in tried(ast.parse(source)):
        start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
        end = sum(map(len, lines[: node.end_lineno - 1])) + node.end_col_offset
        text = ast.unparse(ast.fix_missing_locations(other))
        text = f"({text})" if isinstance(other, ast.expr) else text
        changed = (source.encode()[:start] + text.encode() + source.encode()[end:]).decode()
        if ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)):
            found.setdefault(changed, Mutant(module, node.lineno, changed))
    return list(found.values())


class Copy:
    """A copy of the tree, in which a module can be changed and its tests be run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.log = folder, folder / "var" / "tests.log"
        self.log.parent.mkdir()
        listing = ["git", "ls-files", "-co", "--exclude-standard"]
        names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in filter(lambda name: (ROOT / name).is_file(), names.splitlines()):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        self._migrated = folder / "var" / "migrated.sqlite3"
        self._wait(os.fork() or self._migrate(), 3600)

    def run(self, module: str, source: str, seconds: float, database: str) -> str:
        """`noticed`, `out of time` or `survived`."""
        (self.folder / module).write_text(source)
        child = os.fork() or self._test(TESTS[module], database)
        try:
            status = self._wait(child, seconds)
            return "out of time" if status is None else "noticed" if status else "survived"
        finally:
            shutil.copy(ROOT / module, self.folder / module)
            for path in self._migrated.parent.glob("test-*.sqlite3*"):
                path.unlink()

    def _wait(self, child: int, seconds: float) -> int | None:
        """The exit status of a child process; None if it was killed, because its time was up."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return status
            time.sleep(0.05)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return None

    def _migrate(self) -> int:
        """Make a database with all tables, which each mutant copies: migrating takes long."""
        try:
            self._enter("")
            import django

            os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
            django.setup()
            from django.db import connection

            connection.creation.create_test_db(verbosity=0, serialize=False)
            name = connection.settings_dict["NAME"]
            with connection.cursor() as cursor:
                cursor.execute("VACUUM INTO %s", [str(self._migrated)])
            connection.close()
            Path(name).unlink()
        finally:
            os._exit(0)

    def _enter(self, database: str) -> None:
        """Make this child process one of the copy."""
        os.setsid()
        os.chdir(self.folder)
        with self.log.open("wb") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        # So that a module is never taken from the cache of its unchanged self.
        sys.dont_write_bytecode = True
        sys.path[:] = [
            str(self.folder),
            *(path for path in sys.path if path not in ("", str(ROOT))),
        ]
        sys.modules.pop("tests", None)  # of the unchanged tree
        for name in ("csfcube", "csabstruct"):
            os.environ.setdefault(f"{name.upper()}_DIR", str(ROOT.parent / "shared" / name))
        os.environ.pop("DATABASE_URL", None)
        if database:
            os.environ["DATABASE_URL"] = database

    def _test(self, tests: list[str], database: str) -> int:
        self._enter(database)
        import pytest

        # Races need a database that lets several write.
        selected = "not browser" if database else "not browser and not faults"
        here = [test for test in tests if Path(test).exists()]
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", selected]
        if not database and self._migrated.exists():
            shutil.copy(self._migrated, self._migrated.with_name(f"test-{os.getpid()}.sqlite3"))
            options.append("--reuse-db")
        status = 1  # A change that stops Django from starting raises here.
        try:
            status = int(pytest.main([*options, *here]))
        finally:
            # Nothing is unwound, because the folder belongs to the parent process.
            os._exit(status)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutate", description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=10, help="mutants of each module (0: all)")
    parser.add_argument("--seed", default="qrelsmith", help="which of them are drawn")
    parser.add_argument("--module", action="append", choices=TESTS, help="only this module")
    parser.add_argument("--seconds", type=float, default=600, help="how long its tests may take")
    parser.add_argument("--database", default="", help="PostgreSQL, for what survives on SQLite")
    return parser.parse_args()


def drawn_from(module: str, options: argparse.Namespace) -> list[Mutant]:
    entries = LISTS.get("equivalent", [])
    equivalent = {(entry["module"], entry["before"], entry["after"]) for entry in entries}
    mutants = [each for each in mutants_of(module) if (module, *each.changed()) not in equivalent]
    size = min(options.sample or len(mutants), len(mutants))
    return random.Random(f"{options.seed}|{module}").sample(mutants, size)


def try_module(tree: Copy, module: str, options: argparse.Namespace) -> Counter[str]:
    """How many of its drawn mutants had which outcome."""
    if tree.run(module, (ROOT / module).read_text(), 3600, "") != "survived":
        print(f"{module}: not tried, because its tests fail without any change:")
        print(tree.log.read_text()[-3000:], flush=True)
        return Counter({"not tried": 1})
    counts: Counter[str] = Counter()
    for mutant in drawn_from(module, options):
        outcome = tree.run(module, mutant.source, options.seconds, "")
        if outcome == "survived" and options.database:
            outcome = tree.run(module, mutant.source, options.seconds, options.database)
        counts[outcome] += 1
        if outcome != "noticed":
            before, after = mutant.changed()
            print(f"{outcome}: {module}:{mutant.line}\n  - {before}\n  + {after}", flush=True)
    print(f"{module}: {rate(counts)}", flush=True)
    return counts


def rate(counts: Counter[str]) -> str:
    tried = counts["noticed"] + counts["survived"] + counts["out of time"]
    share = f", {counts['noticed'] / tried:.0%}" if tried else ""
    late = f"; {counts['out of time']} ran out of time" if counts["out of time"] else ""
    return f"{counts['noticed']} of {tried} noticed{share}{late}"


def main() -> int:
    options = arguments()
    for name in SLOW_IMPORTS:
        importlib.import_module(name)
    totals: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="qrelsmith-mutants-") as folder:
        tree = Copy(Path(folder))
        for module in options.module or filter(mutants_of, TESTS):
            totals += try_module(tree, module, options)
    print(f"together: {rate(totals)}")
    return 1 if totals["not tried"] else 0


if __name__ == "__main__":
    sys.exit(main())
