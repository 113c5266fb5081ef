"""The loop that asks a model about pairs, within its rate and its budget, and keeps each answer.

This thread alone decides and writes; `client.py` has a thread that only waits for the server. A
turn of the loop stores the answers that came, with what the next requests can cost at most, and
then sends these. So a process that is killed at any moment has lost at most the answers that were
on their way, and the next one counts what they can have cost.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar, NamedTuple

from django.db import IntegrityError

from accounts.locking import lock_collection
from accounts.models import Collection
from corpus.digests import canonical_json
from evaluation.shadow_judges.asking.answers import AnswerProblem, ReadAnswer, read_answer
from evaluation.shadow_judges.asking.client import (
    LostAnswer,
    ModelClient,
    Nonsense,
    Outcome,
    Refusal,
    Reply,
    Stop,
)
from evaluation.shadow_judges.asking.costs import Prices
from evaluation.shadow_judges.asking.models import Asking, ModelAnswer
from evaluation.shadow_judges.asking.pace import MOST_ATTEMPTS, TokenBucket, backoff, burst_of
from evaluation.shadow_judges.asking.pairs import PairRequest
from evaluation.shadow_judges.asking.prompts import PromptTemplate
from evaluation.shadow_judges.services import ShadowJudgeError
from jobs.context import JobContext

TURN = 0.2  # seconds between two looks at a wish to cancel
FIRST_BACKOFF = 1.0  # seconds
LONGEST_WAIT = 600.0  # seconds that a server may ask to wait
NONSENSE_ATTEMPTS = 3
FRUITLESS = 20  # answers without a grade from the beginning, after which no more is spent


class ModelStopped(ShadowJudgeError):
    """The server cannot be asked any further. The answers so far are kept."""


class AskedTwice(ShadowJudgeError):
    """Another process asks the same model."""

    status: ClassVar[int] = 409

    def __init__(self) -> None:
        super().__init__("Another process asks this model, too. Wait until it has ended.")


@dataclass
class Attempt:
    """A request, how often it was sent in vain, and when it may be sent again."""

    request: PairRequest
    worst_cost: Decimal
    failures: int = 0
    ready_at: float = 0.0
    replies_before: int = 0  # that had come to others when it failed first


class AnswerRow(NamedTuple):
    """An answer to store: what `ModelAnswer` has, beside the request."""

    request: PairRequest
    raw: str
    read: ReadAnswer
    cost: Decimal
    seconds: float
    reported_model: str = ""
    fingerprint: str = ""
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass
class Conversation:
    """A run of the loop. `requests` are those without an answer, `total` counts all."""

    collection: Collection
    asking: Asking
    template: PromptTemplate
    client: ModelClient
    requests: Iterator[PairRequest]
    total: int
    work: JobContext
    first_backoff: float = FIRST_BACKOFF
    over_budget: bool = field(default=False, init=False)
    _flying: dict[Future[Outcome], Attempt] = field(default_factory=dict, init=False)
    _waiting: list[Attempt] = field(default_factory=list, init=False)
    _next: Attempt | None = field(default=None, init=False)
    _is_empty: bool = field(default=False, init=False)
    _paused_until: float = field(default=0.0, init=False)
    _stopped: str = field(default="", init=False)
    _rows: list[AnswerRow] = field(default_factory=list, init=False)
    _replies: int = field(default=0, init=False)
    _lost_cost: Decimal = field(default=Decimal(0), init=False)
    _lost_requests: int = field(default=0, init=False)
    _began: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.prices = Prices(self.asking.prompt_price, self.asking.completion_price)
        self._keep_to(self.asking)

    def _keep_to(self, asking: Asking) -> None:
        """Take over the limits of the row."""
        burst = burst_of(asking.requests_per_minute, asking.concurrency)
        self._bucket = TokenBucket(asking.requests_per_minute, burst, time.monotonic())
        self.client.timeout_seconds = asking.timeout_seconds

    def run(self) -> None:
        """Ask until all have an answer or the budget is spent.

        Raises:
            ModelStopped: the server refuses all requests, or does not answer at all.
            AskedTwice, UnknownShadowJudge, CollectionArchived
            Cancelled and the like, from the work.
        """
        self._store([])  # counts what an earlier process has lost
        while True:
            self.work.progress(self.asking.answers_count, self.total, self._note())
            for future in [future for future in self._flying if future.done()]:
                self._receive(self._flying.pop(future), future.result())
            leaving = list(self._leaving(time.monotonic()))
            if self._rows or leaving or self._lost_requests:
                self._store(leaving)
            for attempt in leaving:
                request = attempt.request
                self._flying[self.client.ask(request.prompt, request.repetition)] = attempt
            if not self._flying and (self._stopped or self.over_budget or self._is_done()):
                break
            self._pause()
        self._store([])
        if self._stopped:
            raise ModelStopped(self._stopped)

    def _note(self) -> str:
        return "paused, as the server asks" if self._paused_until > time.monotonic() else "asking"

    def _is_done(self) -> bool:
        return self._is_empty and not self._waiting and self._next is None

    def _pause(self) -> None:
        """Until an answer comes, or a request may leave; no longer than a turn."""
        now = time.monotonic()
        seconds = max(self._bucket.wait(now), self._paused_until - now)
        if self._next is None and self._is_empty and self._waiting:
            seconds = max(seconds, min(attempt.ready_at for attempt in self._waiting) - now)
        if self._stopped or len(self._flying) >= self.asking.concurrency:
            seconds = TURN
        seconds = min(TURN, max(0.01, seconds))
        if self._flying:
            wait(self._flying, seconds, FIRST_COMPLETED)
        else:
            time.sleep(seconds)

    # --- what leaves

    def _leaving(self, now: float) -> Iterator[Attempt]:
        in_flight = sum((attempt.worst_cost for attempt in self._flying.values()), Decimal(0))
        number = len(self._flying)
        while not self._stopped and now >= self._paused_until and number < self.asking.concurrency:
            attempt = self._due(now)
            if attempt is None:
                return
            if self._spent() + in_flight + attempt.worst_cost > self.asking.budget:
                # What is on its way mostly costs less than it can, so this one may leave later.
                self.over_budget = number == 0
                return
            if not self._bucket.take(now):
                return
            self._remove(attempt)
            in_flight += attempt.worst_cost
            number += 1
            yield attempt

    def _spent(self) -> Decimal:
        stored = self.asking.cost + self.asking.unanswered_cost
        return stored + self._lost_cost + sum((row.cost for row in self._rows), Decimal(0))

    def _due(self, now: float) -> Attempt | None:
        for attempt in self._waiting:
            if attempt.ready_at <= now:
                return attempt
        if self._next is None and not self._is_empty:
            request = next(self.requests, None)
            self._is_empty = request is None
            if request:
                cost = self.prices.cost(request.prompt.most_tokens, self.asking.max_tokens)
                self._next = Attempt(request, cost)
        return self._next

    def _remove(self, attempt: Attempt) -> None:
        if attempt is self._next:
            self._next = None
        else:
            self._waiting.remove(attempt)

    # --- what comes back

    def _receive(self, attempt: Attempt, outcome: Outcome) -> None:
        match outcome:
            case Reply():
                self._replies += 1
                self._rows.append(self._answered(attempt, outcome))
            case Refusal(body, seconds):
                self._rows.append(_failed(attempt, AnswerProblem.REJECTED, body, seconds))
            case Nonsense(body, seconds):
                self._lose(attempt)
                if attempt.failures + 1 < NONSENSE_ATTEMPTS:
                    self._try_again(attempt, None, pause=False)
                else:
                    self._rows.append(_failed(attempt, AnswerProblem.UNREADABLE, body, seconds))
            case LostAnswer():
                self._fail(attempt, outcome)
            case Stop(reason):
                self._stopped = f"{self.client.url} answered {reason}. {self._kept()}"
        self._check_fruit()

    def _answered(self, attempt: Attempt, reply: Reply) -> AnswerRow:
        said = reply.completion
        read = read_answer(
            said.text,
            highest=self.collection.highest_grade,
            criteria=self.template.criteria_keys,
            finish_reason=said.finish_reason,
            is_refusal=said.is_refusal,
        )
        tokens = (said.prompt_tokens, said.completion_tokens)
        cost = attempt.worst_cost
        if tokens[0] is not None and tokens[1] is not None:
            cost = self.prices.cost(tokens[0], tokens[1])
        return AnswerRow(
            attempt.request,
            said.text,
            read,
            cost,
            reply.seconds,
            said.model,
            said.fingerprint,
            said.finish_reason,
            *tokens,
        )

    def _fail(self, attempt: Attempt, failure: LostAnswer) -> None:
        if failure.may_cost:
            self._lose(attempt)
        if failure.wait is not None and failure.wait > LONGEST_WAIT:
            self._stopped = (
                f"{self.client.url} asks to wait {failure.wait:,.0f} seconds ({failure.reason}). "
                f"{self._kept()}"
            )
        elif attempt.failures + 1 < MOST_ATTEMPTS:
            self._try_again(attempt, failure.wait, pause=not failure.may_cost)
        elif self._replies > attempt.replies_before:  # so the server works, but not on this text
            self._rows.append(_failed(attempt, AnswerProblem.UNANSWERED, failure.reason, 0.0))
        else:
            self._stopped = (
                f"{self.client.url} did not answer {MOST_ATTEMPTS} times ({failure.reason}). "
                f"{self._kept()}"
            )

    def _lose(self, attempt: Attempt) -> None:
        self._lost_cost += attempt.worst_cost
        self._lost_requests += 1

    def _try_again(self, attempt: Attempt, seconds: float | None, *, pause: bool) -> None:
        """With `pause`, the server is in trouble, and nothing else leaves until then either."""
        # Also at the second failure: an answer that was on its way when the server died arrives
        # after the first one, and does not show that the server works.
        if attempt.failures <= 1:
            attempt.replies_before = self._replies
        attempt.failures += 1
        if seconds is None:
            seconds = backoff(attempt.failures, self.first_backoff)
        attempt.ready_at = time.monotonic() + seconds
        if pause:
            self._paused_until = max(self._paused_until, attempt.ready_at)
        self._waiting.append(attempt)

    def _check_fruit(self) -> None:
        if self._stopped:
            return
        problems = Counter(self.asking.problems)
        problems.update(row.read.problem for row in self._rows if row.read.problem)
        answers = self.asking.answers_count + len(self._rows)
        if answers >= FRUITLESS and problems.total() == answers:
            problem, number = problems.most_common(1)[0]
            self._stopped = (
                f"None of the first {answers} answers has a grade; {number} times: "
                f"{AnswerProblem(problem)}. Look at the answers. Then choose another template or "
                "model, under another name."
            )

    def _kept(self) -> str:
        return "All answers so far are kept. Continue when the cause is gone."

    # --- what is stored

    def _store(self, leaving: list[Attempt]) -> None:
        """Commit the answers that came, with the most that is on its way from now on."""
        rows, self._rows = self._rows, []
        flying = [*self._flying.values(), *leaving]
        try:
            with self.work.fenced():
                lock_collection(self.collection)
                self._write(rows, flying)
        except IntegrityError as error:
            if "model_answer_once" in str(error) or "evaluation_modelanswer.pair_id" in str(error):
                raise AskedTwice from error
            raise
        self._began = True
        self._lost_cost, self._lost_requests = Decimal(0), 0

    def _write(self, rows: list[AnswerRow], flying: list[Attempt]) -> None:
        # Read again, because an admin may have changed its limits meanwhile.
        asking = Asking.objects.select_for_update(of=("self",)).filter(pk=self.asking.pk).first()
        if asking is None:
            raise ShadowJudgeError("The shadow judge was deleted meanwhile.")
        ModelAnswer.objects.bulk_create(_model_answer(asking, row) for row in rows)
        labels = [row for row in rows if row.read.grade is not None and row.request.is_label]
        if labels:
            judge = asking.shadow_judge
            judge.sha256 = _chained(judge.sha256, labels)
            judge.labels_count += len(labels)
            judge.save(update_fields=["sha256", "labels_count"])
        lost_cost, lost_requests = self._lost_cost, self._lost_requests
        if not self._began:
            lost_cost += asking.in_flight_cost
            lost_requests += asking.in_flight_requests
        problems = Counter(asking.problems)
        problems.update(row.read.problem for row in rows if row.read.problem)
        asking.problems = dict(sorted(problems.items()))
        asking.answers_count += len(rows)
        asking.prompt_tokens += sum(row.prompt_tokens or 0 for row in rows)
        asking.completion_tokens += sum(row.completion_tokens or 0 for row in rows)
        asking.cost += sum((row.cost for row in rows), Decimal(0))
        asking.seconds += sum(row.seconds for row in rows)
        asking.unanswered_cost += lost_cost
        asking.unanswered_requests += lost_requests
        asking.in_flight_cost = sum((each.worst_cost for each in flying), Decimal(0))
        asking.in_flight_requests = len(flying)
        asking.save(update_fields=COUNTED)
        if any(getattr(asking, name) != getattr(self.asking, name) for name in LIMITS):
            self._keep_to(asking)
        self.asking = asking


LIMITS = ("requests_per_minute", "concurrency", "timeout_seconds")
COUNTED = [
    *("answers_count", "problems", "prompt_tokens", "completion_tokens", "cost", "seconds"),
    *("unanswered_cost", "unanswered_requests", "in_flight_cost", "in_flight_requests"),
]


def _failed(attempt: Attempt, problem: AnswerProblem, body: str, seconds: float) -> AnswerRow:
    """An answer that is none. What it can have cost is counted where requests were lost."""
    return AnswerRow(attempt.request, body, ReadAnswer(None, None, problem), Decimal(0), seconds)


def _model_answer(asking: Asking, row: AnswerRow) -> ModelAnswer:
    request, read = row.request, row.read
    return ModelAnswer(
        shadow_judge_id=asking.pk,
        pair_id=request.pair,
        repetition=request.repetition,
        swapped=request.swapped,
        prompt_digest=request.prompt.digest,
        raw=row.raw,
        grade=read.grade,
        criteria=read.criteria,
        problem=read.problem,
        reported_model=row.reported_model,
        fingerprint=row.fingerprint,
        finish_reason=row.finish_reason,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        cost=row.cost,
        seconds=row.seconds,
    )


def _chained(sha256: str, rows: list[AnswerRow]) -> str:
    """The digest of the labels so far with these, in the order of their answers."""
    for row in rows:
        label = [sha256, row.request.query, row.request.docno, row.read.grade]
        sha256 = hashlib.sha256(canonical_json(label)).hexdigest()
    return sha256
