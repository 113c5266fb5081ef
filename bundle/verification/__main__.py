"""`python -m bundle.verification FILE`: as `verify_release`, without Django and its settings."""

from __future__ import annotations

import sys
from pathlib import Path

from bundle.reading.opened import BundleError
from bundle.verification.service import verify


def main(path: Path) -> int:
    """Print every outcome. Returns the exit code."""
    failed = 0
    try:
        for outcome in verify(path):
            failed += not outcome.ok
            print("\n".join(outcome.lines()))  # noqa: T201 - this is a program for a terminal
    except BundleError as error:
        print(f"Error: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
