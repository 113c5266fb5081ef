"""All that is measured, in its order."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException

from bench.judging.addresses import measure_addresses
from bench.judging.alone import measure_demo, measure_peer, measure_statistics
from bench.judging.browser import Refused
from bench.judging.databases import places
from bench.judging.goals import table
from bench.judging.jobs import (
    measure_agreement,
    measure_due_check,
    measure_import,
    measure_import_beside_judging,
    measure_pools,
    measure_release,
)
from bench.judging.keys import measure_judging, measure_opening, measure_paint
from bench.judging.pages import measure_page_paint, measure_pages
from bench.judging.server import DEPLOYED
from bench.judging.setting import Bench, Place
from bench.later import parts as later
from bench.processes import ROOT, DidNotStart, StepFailed

# Measured once, and on each database.
ALONE: dict[str, Callable[[Bench], None]] = {
    "demo": measure_demo,
    "statistics": measure_statistics,
    "peer": measure_peer,
}
PARTS: dict[str, Callable[[Place], None]] = {
    "paint": measure_paint,
    "judging": measure_judging,
    "opening": measure_opening,
    "pages": measure_pages,
    "page-paint": measure_page_paint,
    "agreement": measure_agreement,
    "due-check": measure_due_check,
    "release": measure_release,
    # Before the addresses, so that the pages have a round, a model and reports to show.
    **later.PARTS,
    "addresses": measure_addresses,
    "pools": measure_pools,
    # The last, because all tables have twice as many rows afterwards.
    "import": measure_import,
    "import-judging": measure_import_beside_judging,
}


def run(bench: Bench, wanted: Sequence[str], only: Sequence[str] = ()) -> str:
    """Measure all parts, or `only` those; the table. What fails is said and left out of it."""
    _collect_static(bench)
    chosen = only or (*ALONE, *PARTS)
    for name, measure_alone in ALONE.items():
        if name in chosen:
            with _failure_said(bench, name):
                measure_alone(bench)
    with places(bench, wanted if set(chosen) & set(PARTS) else ()) as found:
        for place in found:
            for name, measure in PARTS.items():
                if name in chosen:
                    with _failure_said(bench, f"{place.database} · {name}"):
                        measure(place)
    return table(bench.figures, list(wanted))


@contextmanager
def _failure_said(bench: Bench, what: str) -> Iterator[None]:
    try:
        yield
    except (OSError, HTTPException, Refused, StepFailed, DidNotStart) as error:
        bench.say(f"{what} failed: {type(error).__name__}: {error}")


def _collect_static(bench: Bench) -> None:
    """What deployment does before it starts the server."""
    environment = {**os.environ, **bench.anywhere(), **DEPLOYED}
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
