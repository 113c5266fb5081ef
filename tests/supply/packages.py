"""The installed packages of a lock file: versions, licences, and what requires what."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OF_SERVERS = ("server", "models", "word2vec")
# The name of each lock to its file and the extras of pyproject.toml that it has.
LOCKS = {
    "demo": ("requirements.lock", ()),
    "server": ("requirements-server.lock", OF_SERVERS),
    "dev": ("requirements-dev.lock", (*OF_SERVERS, "dev")),
}
# A classifier that names one licence. "BSD License" does not say which.
CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "LicenseRef-BSD",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


class InstalledPackage(NamedTuple):
    name: str
    version: str
    licence: str  # an SPDX expression; empty if the package's metadata name none
    requirements: tuple[Requirement, ...]


class NotAsLocked(Exception):
    """A package of the lock is not installed, or in another version."""


@cache
def installed_packages(lock: str) -> list[InstalledPackage]:
    """Return the packages that this Python needs of the lock, in alphabetical order.

    Raises:
        NotAsLocked: with the name of the first such package.
    """
    return [_installed(pin) for pin in pins(ROOT / LOCKS[lock][0]) if applies(pin)]


def pins(path: Path) -> Iterator[Requirement]:
    for line in path.read_text().splitlines():
        if line and line[0] not in " #":
            yield Requirement(line.removesuffix(" \\"))


def applies(requirement: Requirement, extras: Iterable[str] = ("",)) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in extras)


def _installed(pin: Requirement) -> InstalledPackage:
    try:
        found = distribution(pin.name)
    except PackageNotFoundError:
        raise NotAsLocked(f"{pin} is not installed. Run `make lint`.") from None
    if not pin.specifier.contains(found.version, prereleases=True):
        raise NotAsLocked(f"{pin.name} {found.version} is installed, not {pin}. Run `make lint`.")
    classifiers = found.metadata.get_all("Classifier") or []
    return InstalledPackage(
        name=canonicalize_name(pin.name),
        version=found.version,
        licence=declared_licence(
            found.metadata.get("License-Expression") or "",
            [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License ::")],
            found.metadata.get("License") or "",
        ),
        requirements=tuple(map(Requirement, found.requires or ())),
    )


def declared_licence(expression: str, classifiers: list[str], text: str) -> str:
    """Return the SPDX expression that a package's metadata declare, or "".

    Of several classifiers, all must hold, because the metadata do not say if there is a choice.
    """
    named = [name for name in classifiers if name not in {"OSI Approved", ""}]
    if expression:
        return expression
    if named and all(name in CLASSIFIERS for name in named):
        return " AND ".join(sorted(CLASSIFIERS[name] for name in named))
    # An old field of free text: a name, or the whole licence.
    return text if not named and len(text) < 40 else ""


def required_packages(lock: str) -> dict[str, set[str]]:
    """Return what each installed package of the lock requires; "" is Qrelsmith itself."""
    packages = {package.name: package for package in installed_packages(lock)}
    own = list(PROJECT["dependencies"])
    for extra in LOCKS[lock][1]:
        own += PROJECT["optional-dependencies"][extra]
    graph: dict[str, set[str]] = {}
    waiting = [("", list(map(Requirement, own)), {""})]
    seen: dict[str, set[str]] = {}
    while waiting:
        name, requirements, extras = waiting.pop()
        for requirement in requirements:
            target = canonicalize_name(requirement.name)
            if not applies(requirement, extras) or target not in packages:
                continue
            graph.setdefault(name, set()).add(target)
            asked = {"", *requirement.extras}
            if not asked <= seen.get(target, set()):
                seen[target] = seen.get(target, set()) | asked
                waiting.append((target, list(packages[target].requirements), seen[target]))
    return graph
