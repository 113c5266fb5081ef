"""Long work: jobs that a real worker does, and the import of a release."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from bench.judging.annotators import judge_together
from bench.judging.keys import ANNOTATORS, parts_of
from bench.judging.server import serving
from bench.judging.setting import Place
from bench.judging.state import PASSWORD, SLUG
from bench.processes import Values
from bench.table import MIB

VERSION = "1.0"
LONGEST_IMPORT = 3600.0  # seconds


def measure_agreement(place: Place) -> None:
    """A report of the whole collection, and again when nothing changed."""
    first, peak, _ = place.job("report", "zero")
    place.keep("agreement-job", f"{first['seconds']:.1f} s, {peak / MIB:.0f} MiB", _note(first))
    again, peak, _ = place.job("report", "zero")
    place.keep("agreement-again", f"{again['seconds']:.2f} s", f"{peak / MIB:.0f} MiB")


def measure_due_check(place: Place) -> None:
    due, peak, _ = place.step("due-check")
    note = f"{due['statements']} statements, {peak / MIB:.0f} MiB"
    place.keep("due-check", f"{due['seconds']:.2f} s", note)


def measure_release(place: Place) -> None:
    released, peak, _ = place.job("publish", VERSION)
    place.keep(
        "release",
        f"{released['seconds']:.1f} s, {peak / MIB:.0f} MiB",
        f"zip {released['size'] / MIB:.0f} MiB, {_note(released)}",
    )


def _note(job: Values) -> str:
    return f"longest transaction {job['longest']:.2f} s, attempt {job['attempts']}"


def measure_import(place: Place) -> None:
    _check_released(place)
    imported, peak, _ = place.step("import-again", VERSION, "imported")
    place.keep(
        "import",
        f"{imported['seconds']:.1f} s, {peak / MIB:.0f} MiB",
        f"{imported['judgments']:,} judgments, longest transaction {imported['longest']:.2f} s",
    )


def measure_import_beside_judging(place: Place) -> None:
    """The import of that release as a third collection, while eight people judge the first."""
    _check_released(place)
    names = place.step("annotators", 10**6).values["annotators"]
    with serving(place.environment, place.log) as server, ThreadPoolExecutor(1) as pool:
        importing = pool.submit(place.step, "import-again", VERSION, "imported-meanwhile")
        judging = judge_together(
            server.port,
            names[:ANNOTATORS],
            PASSWORD,
            SLUG,
            seconds=LONGEST_IMPORT,
            until=importing.done,
            substitutes=names[ANNOTATORS:],
        )
        imported = importing.result().values
    over = place.step("judgments").values["over"]
    place.keep(
        "import-judging",
        f"{imported['seconds']:.1f} s; {judging.per_second:.0f}/s, longest wait "
        f"{judging.longest_wait:.2f} s, {over} over-annotated",
        f"{len(judging.keys)} keys in {judging.seconds:.0f} s, {parts_of(judging)}, longest "
        f"transaction {imported['longest']:.2f} s, {len(judging.problems)} refused",
    )


def _check_released(place: Place) -> None:
    """Publish the version, unless a part that was measured before has done so."""
    if not place.step("released", VERSION).values["released"]:
        place.job("publish", VERSION)


def measure_pools(place: Place) -> None:
    """Pools of a second collection with as many query papers, built and then replaced."""
    place.step("prepare-pools", place.bench.size.papers)
    for key in ("pools", "pools-again"):
        built, peak, _ = place.job("pools")
        note = f"all {built['seconds']:.0f} s, {peak / MIB:.0f} MiB, attempt {built['attempts']}"
        place.keep(key, f"{built['longest']:.2f} s", note)
