"""`python -m tests.supply.licences`: every installed package has a licence that is allowed.

The list is `licences.toml`. A package without a licence in its metadata needs an exception there,
and an exception that no package needs is an error, too.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from license_expression import ExpressionError, Licensing

from tests.supply.packages import InstalledPackage, NotAsLocked, installed_packages

LIST = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
ALLOWED = frozenset(LIST["allowed"])
OF_DEVELOPERS = ALLOWED | frozenset(LIST["allowed-for-developers"])
EXCEPTIONS: dict[str, dict[str, str]] = LIST["exceptions"]


def licence_of(package: InstalledPackage) -> str:
    exception = EXCEPTIONS.get(package.name)
    return exception["licence"] if exception else package.licence


def is_allowed(expression: str, allowed: Collection[str]) -> bool:
    """Of "OR", one licence must be allowed; of "AND", all.

    Raises:
        ExpressionError: this is not an SPDX expression.
    """
    parsed = Licensing().parse(expression, validate=False)
    return parsed is not None and _holds(parsed, allowed)


def _holds(node: object, allowed: Collection[str]) -> bool:
    parts = getattr(node, "args", ())
    if not parts:
        return str(node) in allowed
    chosen = any if getattr(node, "operator", "").strip() == "OR" else all
    return chosen(_holds(part, allowed) for part in parts)


def problems(
    packages: Mapping[InstalledPackage, Collection[str]], exceptions: Collection[str]
) -> Iterator[str]:
    """Yield a sentence for each package whose licence is not among those that it may have."""
    for package, allowed in packages.items():
        licence = licence_of(package)
        named = f"{package.name} {package.version}"
        try:
            if not licence:
                yield f"{named} names no licence. Read its files, and add an exception."
            elif not is_allowed(licence, allowed):
                yield f'{named} has the licence "{licence}", which is not allowed.'
        except ExpressionError:
            yield f'{named} has the licence "{licence}", which is not SPDX. Add an exception.'
    for name in sorted(set(exceptions) - {package.name for package in packages}):
        yield f"{name} has an exception, but is not installed. Remove the exception."


def main() -> int:
    try:
        server = set(installed_packages("server"))
        packages = {
            package: ALLOWED if package in server else OF_DEVELOPERS
            for package in installed_packages("dev")
        }
    except NotAsLocked as error:
        print(error)
        return 1
    found = list(problems(packages, EXCEPTIONS))
    for problem in found:
        print(f"tests/supply/licences.toml: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
