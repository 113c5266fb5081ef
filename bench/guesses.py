"""How long guesses about accounts take: `python -m bench.guesses [--rounds 25]`.

An attacker who measures time asks for a name, an email or a link that exists and for one that does
not. Both are sent within one process, which hides less than a network, in random order. The tables
have medians and the ratio of the two, each with an interval of 95 %: of the elapsed time, and of
the CPU time of the thread that answers, which other work on the machine changes less.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.databases import environments, new_database
from bench.processes import Values, exit_on_sigterm, measured_step
from bench.step_commands import set_up_django, write_json

SEED, RESAMPLES = 7, 2_000
PASSWORD = "correct horse battery"
NEVER = 10**9  # tries, so that no limit ends the measurement
CHEAP_TIMES = 20  # a round has each request without a password so often
Send = Callable[[], int]  # sends a request, and gives its status


class Comparison(NamedTuple):
    """Two kinds of requests that should take the same time."""

    what: str
    first: str
    second: str


COMPARISONS = (
    Comparison("wrong password", "username of an account", "username of none"),
    Comparison("wrong password", "confirmed email", "unknown email"),
    Comparison("link to a new password", "confirmed email asked", "unknown email asked"),
    Comparison("invitation", "link of none", "expired link"),
    Comparison("invitation", "link of none", "used link"),
    Comparison("invitation", "link of none", "valid link"),
)


WITH_PASSWORD = {
    *(name for _, *names in COMPARISONS[:2] for name in names),
    "valid link",
}


def median_with_interval(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """The median and its 95 % interval, by bootstrap with a fixed seed."""
    low, high = np.percentile(_medians(values, SEED), [2.5, 97.5])
    return float(np.median(values)), float(low), float(high)


def ratio_with_interval(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[float, float, float]:
    """The ratio of the second median to the first and its 95 % interval, as above."""
    low, high = np.percentile(_medians(second, SEED) / _medians(first, SEED + 1), [2.5, 97.5])
    return float(np.median(second) / np.median(first)), float(low), float(high)


def _medians(values: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    picks = np.random.default_rng(seed).integers(0, len(values), (RESAMPLES, len(values)))
    medians: NDArray[np.float64] = np.median(values[picks], axis=1)
    return medians


def table(seconds: Mapping[str, Sequence[Sequence[float]]]) -> str:
    """Two rows for each comparison, in milliseconds: of the pairs of elapsed and CPU seconds."""
    head = ("guess", "first", "second", "time", "first, ms", "second, ms", "ratio")
    rows = [head, ("---",) * len(head)]
    for what, first, second in COMPARISONS:
        for column, kind in enumerate(("elapsed", "CPU")):
            pair = [np.array(seconds[name])[:, column] * 1_000 for name in (first, second)]
            times = [_with_interval(*median_with_interval(values), 1) for values in pair]
            ratio = _with_interval(*ratio_with_interval(*pair), 3)
            rows.append((what, first, second, kind, *times, ratio))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _with_interval(value: float, low: float, high: float, digits: int) -> str:
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def guesses() -> dict[str, Send]:
    """Each kind of request by its name. Makes the people and invitations that they ask for."""
    from allauth.account.models import EmailAddress
    from django.urls import reverse
    from django.utils import timezone

    from accounts.invitations.addresses import Invitee
    from accounts.invitations.models import Invitation
    from accounts.invitations.services import accept, store_invitation
    from accounts.models import Collection, Role, User

    collection = Collection.objects.create(slug="guesses", name="Guesses")
    person = User.objects.create_user("existing", password=PASSWORD)
    EmailAddress.objects.create(
        user=person, email="existing@example.org", verified=True, primary=True
    )
    numbers = count()
    login, reset = reverse("login"), reverse("account_reset_password")

    def letter(number: int) -> tuple[Invitation, str]:
        from django.db import transaction

        with transaction.atomic():
            made = store_invitation(
                collection, Invitee(f"p{number}@example.org"), Role.CURATOR, None
            )
        return made.invitation, reverse("invitation", args=[made.token])

    used, used_link = letter(next(numbers))
    accept(invitation=used, person=person)
    expired, expired_link = letter(next(numbers))
    Invitation.objects.filter(pk=expired.pk).update(expires_at=timezone.now() - timedelta(days=1))

    def post(path: str, form: Mapping[str, str]) -> int:
        from django.test import Client

        return Client(headers={"host": "localhost"}).post(path, form).status_code

    def wrong_password(name: str) -> Send:
        return lambda: post(login, {"login": name, "password": "wrong"})

    def accepting(link: Callable[[], str]) -> Send:
        def send() -> int:
            form = {"username": f"new{next(numbers)}", "name": "", "password": PASSWORD}
            return post(link(), {**form, "password_again": PASSWORD})

        return send

    letters = (letter(number)[1] for number in numbers)
    return {
        "username of an account": wrong_password("existing"),
        "username of none": wrong_password("nonesuch"),
        "confirmed email": wrong_password("existing@example.org"),
        "unknown email": wrong_password("nonesuch@example.org"),
        "confirmed email asked": lambda: post(reset, {"email": "existing@example.org"}),
        "unknown email asked": lambda: post(reset, {"email": "nonesuch@example.org"}),
        "link of none": accepting(lambda: reverse("invitation", args=["A" * 43])),
        "expired link": accepting(lambda: expired_link),
        "used link": accepting(lambda: used_link),
        "valid link": accepting(lambda: next(letters)),
    }


def measure(rounds: int) -> Values:
    """Elapsed and CPU seconds of each request: `rounds` with a password, more of the others."""
    set_up_django()
    from django.conf import settings
    from django.core.management import call_command

    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "reset_password": None}
    settings.LOGIN_TRIES_PER_NAME = settings.LOGIN_TRIES_PER_ADDRESS = NEVER
    call_command("migrate", verbosity=0)
    sends = guesses()
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in sends}
    order = random.Random(SEED)
    times = [1 if name in WITH_PASSWORD else CHEAP_TIMES for name in sends]
    for number in range(rounds + 1):
        for name in order.sample(list(sends), sum(times), counts=times):
            begin, computed = time.perf_counter(), time.thread_time()
            sends[name]()
            elapsed = (time.perf_counter() - begin, time.thread_time() - computed)
            _wait_for_mails()
            if number:  # the first round imports and compiles
                seconds[name].append(elapsed)
    return seconds


def _wait_for_mails() -> None:
    """A mail is made by a thread. It must not take the time of the next request."""
    import threading

    from accounts.mail.sending import soon

    both = threading.Barrier(3)  # of the two threads, and of this one

    def meet() -> None:
        both.wait()

    for _ in range(2):
        soon(meet)
    both.wait()


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line. `measure` is a process of its own for each database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", nargs="?", choices=["measure"])
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--databases", default="sqlite,postgresql")
    given = parser.parse_args(arguments)
    if given.step:
        write_json(measure(given.rounds))
        return

    def say(text: str) -> None:
        sys.stderr.write(f"{text}\n")

    with (
        tempfile.TemporaryDirectory() as folder,
        environments(
            given.databases.split(","),
            Path(folder),
            lambda _: new_database(say),
        ) as found,
    ):
        for name, environment in found.items():
            step = ("measure", "--rounds", given.rounds)
            values = measured_step("bench.guesses", step, environment).values
            sys.stdout.write(f"{name}, {given.rounds} rounds in random order\n\n{table(values)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    exit_on_sigterm()
    main()
