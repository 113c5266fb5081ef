"""Keys of annotators, alone and together, on the server and in a browser."""

from __future__ import annotations

from bench.judging.annotators import Judging, judge_together
from bench.judging.goals import ms, p50_p95
from bench.judging.server import WITHOUT_TLS, serving
from bench.judging.setting import Place
from bench.judging.state import PASSWORD, SLUG
from bench.processes import measured_step

ANNOTATORS = 8
PAIRS = 5  # before a query is opened again
LATENCY = 0.2  # seconds, as to a server on another continent


def measure_judging(place: Place) -> None:
    """One annotator alone, then eight at once, then how many pairs have too many judgments."""
    size = place.bench.size
    names: list[str] = place.step("annotators", ANNOTATORS + 1).values["annotators"]
    with serving(place.environment, place.log) as server:
        alone = judge_together(server.port, names[-1:], PASSWORD, SLUG, seconds=60, most=size.keys)
        both = [key.both for key in alone.keys]
        place.keep("judge", p50_p95(both), _alone(alone))
        crowd = names[:ANNOTATORS]
        # The copied database is cold: its pages and their first change after the copy cost more.
        judge_together(server.port, crowd, PASSWORD, SLUG, seconds=size.seconds / 2)
        warm = place.step("judgments").values["judgments"]
        together = judge_together(server.port, crowd, PASSWORD, SLUG, seconds=size.seconds)
    after = place.step("judgments").values
    place.keep(
        "together",
        f"{together.per_second:.0f}/s, longest wait {together.longest_wait:.2f} s, "
        f"{after['over']} over-annotated",
        _together(together, len(crowd), after["judgments"] - warm),
    )


def measure_opening(place: Place) -> None:
    """Eight annotators who open their query again after every few pairs.

    From asking for the list to the page that has the first pair, which includes both.
    """
    size = place.bench.size
    names = place.step("annotators", 2 * ANNOTATORS + 1).values["annotators"][-ANNOTATORS:]
    with serving(place.environment, place.log) as server:
        judging = judge_together(
            server.port, names, PASSWORD, SLUG, seconds=size.seconds / 2, most_of_opening=PAIRS
        )
    opened = judging.openings
    place.keep(
        "opening",
        p50_p95(opened),
        f"{len(names)} annotators, {len(opened)} times, longest {ms(max(opened, default=0.0))} ms, "
        f"{judging.per_second:.0f} keys/s meanwhile",
    )


def measure_paint(place: Place) -> None:
    """A browser: from a key to the next pair on the screen, with a server near and far away."""
    fullest = place.step("fullest-query").values
    with serving(place.environment, place.log, WITHOUT_TLS) as server:
        path = f"/c/{SLUG}/judge/{fullest['query']}/"
        account = fullest["annotator"], PASSWORD
        given = [server.port, path, *account, place.bench.size.paints, LATENCY]
        paints = measured_step("bench.judging.key_paint", given, {}).values
    near, far = p50_p95(paints["near"]), p50_p95(paints["far"])
    keys = f"{len(paints['near'])} keys"
    place.keep("paint", f"{near}; {far} at {1000 * LATENCY:.0f} ms latency", keys)


def _alone(judging: Judging) -> str:
    return "; ".join([f"{len(judging.keys)} keys, {parts_of(judging)}", *judging.problems[:1]])


def _together(judging: Judging, annotators: int, saved: int) -> str:
    return "; ".join(
        [
            f"{annotators} annotators, {len(judging.keys)} keys, {saved} in the database",
            parts_of(judging),
            *([f"{len(judging.problems)} refused"] if judging.problems else []),
            *judging.problems[:1],
        ]
    )


def parts_of(judging: Judging) -> str:
    """The two kinds of requests of a key, each as p50 / p95."""
    ahead = p50_p95(judging.fetches)
    return f"save {p50_p95([key.save for key in judging.keys])}, 12 pairs ahead {ahead}"
