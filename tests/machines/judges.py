"""Judges whose browser sends an answer until it is acknowledged, as static/js/outbox.js does."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

from bench.judging.annotators import Annotator, in_threads
from bench.judging.browser import Answer, Browser, Refused
from bench.judging.state import PASSWORD, SLUG

GIVE_UP_SECONDS = 60
PAUSE = 0.5
BETWEEN_KEYS = 0.5  # seconds; a person reads
NOT_NOW = (502, 503, 504)  # of the proxy, while a machine is down


class PatientBrowser(Browser):
    """Sends a request again, with the same key, if the connection or the proxy failed."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.sent_again = 0

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> Answer:
        end = time.monotonic() + GIVE_UP_SECONDS
        while True:
            try:
                answer = super()._ask(method, path, body, headers)
                if answer.status not in NOT_NOW or time.monotonic() > end:
                    return answer
            except (OSError, http.client.HTTPException):
                self.close()
                if time.monotonic() > end:
                    raise
            self.sent_again += 1
            time.sleep(PAUSE)


class Judges:
    """People who judge at the same time until they are told to stop."""

    def __init__(self, port: int, usernames: Sequence[str]) -> None:
        self.people = [Annotator(PatientBrowser(port), SLUG) for _ in usernames]
        for person, username in zip(self.people, usernames, strict=True):
            person.browser.log_in(username, PASSWORD)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._judge)

    def begin(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
        for person in self.people:
            person.browser.close()

    @property
    def pressed(self) -> int:
        """Keys whose judgment was acknowledged."""
        return sum(len(person.keys) - len(person.problems) for person in self.people)

    @property
    def problems(self) -> list[str]:
        return [problem for person in self.people for problem in person.problems]

    @property
    def sent_again(self) -> int:
        return sum(person.browser.sent_again for person in self.people)  # type: ignore[attr-defined]

    def _judge(self) -> None:
        in_threads(partial(_judge_in_peace, person, self._enough) for person in self.people)

    def _enough(self, pressed: int) -> bool:
        return self._stop.wait(BETWEEN_KEYS)


def _judge_in_peace(person: Annotator, enough: Callable[[int], bool]) -> None:
    try:
        person.judge(enough)
    except (OSError, http.client.HTTPException, Refused) as error:
        person.problems.append(f"{type(error).__name__}: {error}")
