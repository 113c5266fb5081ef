"""Packages that one feature needs and `make demo` does not install. pyproject.toml lists them."""

from __future__ import annotations

from importlib.util import find_spec


def missing_package(package: str, feature: str) -> str:
    """Return the message for a feature whose package is not installed; "" if it is."""
    if find_spec(package) is not None:
        return ""
    return (
        f"{feature} needs the package {package}, which is not installed. Install it where "
        f"Qrelsmith runs: pip install {package}, or all of requirements-server.lock."
    )
