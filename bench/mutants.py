"""Mutants: would `make test` notice a fault? Small faults in the code that must be right, each tried alone.

    python -m bench.mutants --map             run all tests, to learn which of them run which line: do it first
    python -m bench.mutants --number 200 --seed 1

Each mutant is written into a copy of the tree, and the tests that run its line run until one fails. One that survives
is a missing test, code that does nothing, or no fault.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import coverage

from corpus.ordering import order_key
from tests.run import URL

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / "var" / "mutants"
TARGETS = {  # what makes labels and numbers, and what keeps judges blind
    "accounts": "access",
    "adjudication": "cases decisions labels views",
    "agreement": "coefficients intervals report rounds",
    "annotation": "judging openings presentation views",
    "api": "base judging",
    "corpus": "ordering",
    "evaluation": "folds measures rankings scores significance unjudged",
    "pooling": "building drawing manifest mdcr strategies",
    "release": "gate",
}
SWAPS: dict[type[ast.AST], tuple[str, str]] = {
    **{ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is")},
    **{ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">")},
    **{ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"), ast.And: ("and", "or"), ast.Or: ("or", "and")},
    **{ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")},
}
Mutant = tuple[str, int, int, str, int]  # path, start and end in its text, the other text, line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--map", action="store_true")
    options = parser.parse_args()
    if options.map:
        command = [sys.executable, "-m", "tests.run", *(f"--cov={app}" for app in TARGETS)]
        command += ["--cov-context=test", "--cov-append", "--cov-report="]
        MAP.unlink(missing_ok=True)
        subprocess.run(command, env=os.environ | {"COVERAGE_FILE": str(MAP)}, cwd=ROOT, check=False)
        return
    found = [each for app, names in TARGETS.items() for name in names.split() for each in mutants(f"{app}/{name}.py")]
    drawn = sorted(found, key=lambda each: order_key(options.seed, "mutants", each[0], repr(each)))[: options.number]
    copy, survived = Path(tempfile.mkdtemp(prefix="mutants-")), 0
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "var", ".*_cache"), dirs_exist_ok=True)
    for path, start, end, other, line in drawn:
        text = (ROOT / path).read_text()
        (copy / path).write_text(text[:start] + other + text[end:])
        noticed = failing_test(path, line, copy)
        (copy / path).write_text(text)
        survived += not noticed
        print(f"{path}:{line}: {text[start:end]!r} -> {other!r}\n    {noticed or 'SURVIVED'}", flush=True)
    shutil.rmtree(copy)
    print(f"{len(drawn) - survived} of {len(drawn)} noticed")


def mutants(path: str) -> Iterator[Mutant]:
    """All single faults in the functions of a module."""
    text = (ROOT / path).read_text()
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    starts = [0, *accumulate(len(line.decode()) for line in lines)]

    def place(line: int, column: int) -> int:  # ast counts bytes
        return starts[line - 1] + len(lines[line - 1][:column].decode())

    def mutant(first: Any, last: Any, other: str) -> Mutant:
        end = place(last.end_lineno, last.end_col_offset)
        return path, place(first.lineno, first.col_offset), end, other, first.lineno

    def said(node: Any) -> str:
        return ast.get_source_segment(text, node) or ""

    def inside(node: Any) -> Iterator[Any]:  # where Python 3.11 puts what is in an f-string is wrong
        yield node
        for child in () if isinstance(node, ast.JoinedStr) else ast.iter_child_nodes(node):
            yield from inside(child)

    functions = [each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef)]
    for node in {each for function in functions for statement in function.body for each in inside(statement)}:
        match node:
            case ast.Compare(left=one, ops=[sign], comparators=[other]) if type(sign) in SWAPS:
                yield mutant(node, node, f"({said(one)}) {SWAPS[type(sign)][1]} ({said(other)})")
            case ast.BoolOp(op=sign):
                between = f" {SWAPS[type(sign)][1]} "
                yield mutant(node, node, between.join(f"({said(each)})" for each in node.values))
            case ast.BinOp(left=one, op=sign, right=other) if type(sign) in SWAPS:
                yield mutant(node, node, f"({said(one)}) {SWAPS[type(sign)][1]} ({said(other)})")
            case ast.Constant(value=bool() as value):
                yield mutant(node, node, str(not value))
            case ast.Constant(value=int() | float() as value):
                yield from (mutant(node, node, str(value + by)) for by in (1, -1))
            case ast.Raise() | ast.Expr(value=ast.Call()):
                yield mutant(node, node, "pass")
            case ast.If(test=test) | ast.IfExp(test=test):
                yield mutant(test, test, f"not ({said(test)})")
            case ast.Call(args=[one, other]) if not isinstance(other, ast.Starred):
                yield mutant(one, other, f"{said(other)}, {said(one)}")


def failing_test(path: str, line: int, copy: Path) -> str:
    """The first test that fails, on SQLite or on PostgreSQL; "" where all pass."""
    data = coverage.CoverageData(str(MAP))
    data.read()
    contexts = data.contexts_by_lineno(str(ROOT / path)).get(line, [])
    app = f"tests/{path.partition('/')[0]}/"
    tests = sorted({each.partition("|")[0] for each in contexts if each}, key=lambda name: (app not in name, name))
    (copy / "tests.txt").write_text("\n".join(tests))
    command = [sys.executable, "-m", "pytest", "-n0", "-x", "-p", "no:cacheprovider", "@tests.txt"]
    here = os.environ | {"SHARED_DIR": str(ROOT.parent / "shared")}
    databases = {"not postgresql and not slow": {}, "postgresql": {"DATABASE_URL": URL}}
    for marks, database in databases.items() if tests else ():
        try:
            run = subprocess.run(
                [*command, "-m", marks], cwd=copy, env=here | database, capture_output=True, timeout=600
            )
        except subprocess.TimeoutExpired:
            return "no end"
        if run.returncode not in (0, 5):  # 5: no test of these marks
            failed = re.search(rb"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
            return failed[1].decode() if failed else "no start"
    return ""


if __name__ == "__main__":
    main()
