"""Everything that begins, continues and estimates the asking of a model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean
from typing import ClassVar

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.locking import lock_collection
from accounts.models import Collection, User
from evaluation.shadow_judges.asking.addresses import allowed_address, key_of
from evaluation.shadow_judges.asking.client import ModelClient, ModelParameters
from evaluation.shadow_judges.asking.conversation import FIRST_BACKOFF, Conversation
from evaluation.shadow_judges.asking.costs import Prices
from evaluation.shadow_judges.asking.models import DIGITS, PLACES, AskedPairs, Asking, LimitName
from evaluation.shadow_judges.asking.pairs import (
    PairRequest,
    count_pairs,
    requests_without_answer,
    sampled_requests,
    template_of,
    variants,
)
from evaluation.shadow_judges.asking.prompts import PromptTemplate, latest_templates
from evaluation.shadow_judges.models import ShadowJudge
from evaluation.shadow_judges.services import (
    Description,
    ShadowJudgeError,
    ShadowNameTaken,
    check_description,
    shadow_judge_named,
)
from jobs.context import DirectRun, JobContext
from jobs.models import Job
from jobs.services import enqueue
from web.extras import missing_package

ASKING_KIND = "ask_model"
SHOWN_PROMPTS = 3
BYTES_PER_TOKEN = 4  # of English; the estimate says so
LONGEST_ANSWER = 100_000  # tokens
MOST_REPETITIONS, MOST_CONCURRENCY, MOST_PER_MINUTE = 20, 64, 60_000
LONGEST_TIMEOUT = 3_600  # seconds
LARGEST_SEED = 2**31 - 1 - MOST_REPETITIONS
HIGHEST_TEMPERATURE = 2.0
MOST_MONEY = Decimal(10) ** (DIGITS - PLACES) - 1


class NotAsked(ShadowJudgeError):
    """The labels of this shadow judge came from a file."""

    status: ClassVar[int] = 409

    def __init__(self, judge: ShadowJudge) -> None:
        super().__init__(f"The labels of {judge} came from a file. Ask a model under another name.")


@dataclass(frozen=True)
class Limits:
    """The limits, which may change while a model is asked. Money is in the currency of prices."""

    budget: Decimal = Decimal(0)
    requests_per_minute: int = 60
    concurrency: int = 4
    timeout_seconds: int = 120


@dataclass(frozen=True)
class AskingPlan:
    """A plan of what a model is asked, and under which name its labels are kept.

    `address` is the name of an allowed address, `template` that of a template, whose latest version
    is used. `facets` are keys; none means all.
    """

    name: str
    model: str
    address: str
    template: str = "guideline"
    description: str = ""
    temperature: float | None = 0.0
    seed: int | None = 1
    max_tokens: int = 500
    limit_name: str = LimitName.MAX_TOKENS
    repetitions: int = 1
    swaps: bool = False
    facets: tuple[str, ...] = ()
    pairs: str = AskedPairs.ALL
    currency: str = "USD"
    prompt_price: Decimal = Decimal(0)
    completion_price: Decimal = Decimal(0)
    limits: Limits = Limits()


@dataclass(frozen=True)
class AskingEstimate:
    """The requests that a plan would send, and their price. Nothing was sent.

    The tokens of prompts are estimated from `sampled` prompts, by their bytes. The answers are at
    their longest.
    """

    pairs: int
    requests: int
    sampled: int
    prompts: list[PairRequest]
    prompt_tokens: int
    most_completion_tokens: int
    prompt_cost: Decimal
    most_completion_cost: Decimal
    most_cost_of_one: Decimal
    currency: str
    budget: Decimal
    minutes: float

    @property
    def most_cost(self) -> Decimal:
        return self.prompt_cost + self.most_completion_cost

    @property
    def fits(self) -> bool:
        return self.most_cost <= self.budget


def request_asking(*, collection: Collection, plan: AskingPlan, requested_by: User | None) -> Job:
    """Begin to ask a model, as a job.

    Raises:
        ShadowNameTaken: the collection has a shadow judge of that name.
        ShadowJudgeError: a value cannot be used.
        CollectionArchived
    """
    with transaction.atomic():
        asking = begin_asking(collection=collection, plan=plan, begun_by=requested_by)
        return _enqueue(collection, asking, requested_by)


def begin_asking(*, collection: Collection, plan: AskingPlan, begun_by: User | None) -> Asking:
    """Store what a model will be asked. Nothing is sent. Raises as `request_asking`."""
    asking = checked_asking(collection, plan)
    template = template_of(asking)
    assert template is not None
    judge = ShadowJudge(
        collection=collection,
        name=plan.name,
        model=plan.model,
        description=plan.description,
        prompt=template.text,
        labelled_on=timezone.now().date(),
        labels_count=0,
        sha256="",
        imported_by=begun_by,
    )
    try:
        with transaction.atomic():
            lock_collection(collection)
            judge.save()
            asking.shadow_judge = judge
            asking.save(force_insert=True)
    except IntegrityError as error:
        if collection.shadow_judges.filter(name=plan.name).exists():
            raise ShadowNameTaken(plan.name) from error
        raise
    return asking


def continue_asking(
    *, collection: Collection, name: str, limits: Limits, requested_by: User | None
) -> Job:
    """Ask what has no answer yet, with other limits. A running job takes them over.

    Raises:
        UnknownShadowJudge, NotAsked, CollectionArchived
        ShadowJudgeError: a limit cannot be used, or the address or template is no longer there.
    """
    with transaction.atomic():
        asking = change_limits(collection=collection, name=name, limits=limits)
        check_can_be_asked(asking)
        return _enqueue(collection, asking, requested_by)


def change_limits(*, collection: Collection, name: str, limits: Limits) -> Asking:
    """Raises as `continue_asking`."""
    _check_limits(limits)
    with transaction.atomic():
        lock_collection(collection)
        asking = asking_of(shadow_judge_named(collection, name))
        for field, value in vars(limits).items():
            setattr(asking, field, value)
        asking.save(update_fields=list(vars(limits)))
    return asking


def asking_of(judge: ShadowJudge) -> Asking:
    """Raises NotAsked."""
    asking = Asking.objects.filter(pk=judge.pk).select_related("shadow_judge").first()
    if asking is None:
        raise NotAsked(judge)
    return asking


def _enqueue(collection: Collection, asking: Asking, requested_by: User | None) -> Job:
    name = asking.shadow_judge.name
    return enqueue(
        kind=ASKING_KIND,
        collection=collection,
        parameters={"shadow_judge": name},
        requested_by=requested_by,
        key=f"{ASKING_KIND}:{name}",
    )


def ask_model(
    *,
    collection: Collection,
    name: str,
    work: JobContext | None = None,
    first_backoff: float = FIRST_BACKOFF,
) -> dict[str, object]:
    """Ask what has no answer yet, until all have one or the budget is spent.

    Each answer is committed when it comes. A second call asks only the others.

    Raises:
        ModelStopped: the server refuses all requests, or does not answer.
        UnknownShadowJudge, NotAsked, AskedTwice, CollectionArchived
        ShadowJudgeError: the address or its key is missing, or the template is no longer there.
    """
    work = work or DirectRun()
    asking = asking_of(shadow_judge_named(collection, name))
    template = check_can_be_asked(asking)
    address = allowed_address(address_name(asking))
    parameters = ModelParameters(
        asking.shadow_judge.model,
        asking.limit_name,
        asking.max_tokens,
        asking.temperature,
        asking.seed,
    )
    key, timeout = key_of(address), asking.timeout_seconds
    with ModelClient(address.url, key, parameters, timeout_seconds=timeout) as client:
        conversation = Conversation(
            collection=collection,
            asking=asking,
            template=template,
            client=client,
            requests=requests_without_answer(collection, asking, template),
            total=count_pairs(collection, asking) * len(variants(asking)),
            work=work,
            first_backoff=first_backoff,
        )
        conversation.run()
    return asking_result(conversation.asking, is_over_budget=conversation.over_budget)


def asking_result(asking: Asking, *, is_over_budget: bool) -> dict[str, object]:
    """The result of the job, as its card shows it."""
    result: dict[str, object] = {
        "shadow_judge": asking.shadow_judge.name,
        "answers": asking.answers_count,
        "without_a_grade": sum(asking.problems.values()),
        "spent": f"{spent(asking).normalize():f} {asking.currency}",
    }
    return {**result, "stopped_by_the_budget": True} if is_over_budget else result


def spent(asking: Asking) -> Decimal:
    """The cost of all answers, and the most that requests without an answer can have cost."""
    return asking.cost + asking.unanswered_cost + asking.in_flight_cost


def address_name(asking: Asking) -> str:
    return f"{asking.address}?key={asking.key_name}" if asking.key_name else asking.address


def check_can_be_asked(asking: Asking) -> PromptTemplate:
    """Its template. Raises ShadowJudgeError if the address or the template is no longer there."""
    _check_package()
    allowed_address(address_name(asking))
    template = template_of(asking)
    if template is None:
        raise ShadowJudgeError(
            f"Version {asking.template_version} of the template {asking.template} has another text "
            "now, so the other answers would not be comparable. Ask under another name."
        )
    return template


def offered_templates(collection: Collection) -> list[PromptTemplate]:
    """Those for the scale of the collection."""
    return [each for each in latest_templates() if each.fits(collection.highest_grade)]


def checked_asking(collection: Collection, plan: AskingPlan) -> Asking:
    """The row of a plan, which is not stored. Raises ShadowJudgeError, ShadowNameTaken."""
    _check_package()
    check_description(Description(plan.name, model=plan.model, description=plan.description))
    if collection.shadow_judges.filter(name=plan.name).exists():
        raise ShadowNameTaken(plan.name)
    if not plan.model.strip():
        raise ShadowJudgeError("The model is missing. Enter its name as the server knows it.")
    address = allowed_address(plan.address)
    template = next((each for each in latest_templates() if each.name == plan.template), None)
    offered = offered_templates(collection)
    if template not in offered:
        names = ", ".join(each.name for each in offered)
        raise ShadowJudgeError(
            f'The template "{plan.template}" is not for this collection, whose grades are 0 to '
            f"{collection.highest_grade}. Use {names}."
        )
    assert template is not None
    _check_facets(collection, plan.facets)
    _check_parameters(plan)
    _check_limits(plan.limits)
    return Asking(
        address=address.url,
        key_name=address.key_name,
        template=template.name,
        template_version=template.version,
        template_sha256=template.sha256,
        facets=list(plan.facets),
        **{name: getattr(plan, name) for name in COPIED},
        **vars(plan.limits),
    )


COPIED = (
    *("temperature", "seed", "max_tokens", "limit_name", "repetitions", "swaps", "pairs"),
    *("currency", "prompt_price", "completion_price"),
)


def _check_package() -> None:
    if missing := missing_package("openai", "Asking a model"):
        raise ShadowJudgeError(missing)


def _check_facets(collection: Collection, facets: Iterable[str]) -> None:
    keys = collection.facets.values_list("key", flat=True)
    if unknown := sorted(set(facets) - set(keys)):
        raise ShadowJudgeError(f'Unknown facet "{unknown[0]}". Use {", ".join(keys)}.')


def _check_parameters(plan: AskingPlan) -> None:
    _check_range("temperature", plan.temperature, 0, HIGHEST_TEMPERATURE)
    _check_range("seed", plan.seed, 0, LARGEST_SEED)
    _check_range("longest answer", plan.max_tokens, 1, LONGEST_ANSWER)
    _check_range("number of repetitions", plan.repetitions, 1, MOST_REPETITIONS)
    _check_range("price of prompts", plan.prompt_price, 0, MOST_MONEY)
    _check_range("price of answers", plan.completion_price, 0, MOST_MONEY)
    if plan.limit_name not in LimitName.values:
        raise ShadowJudgeError(f'Unknown parameter "{plan.limit_name}" for the longest answer.')
    if plan.pairs not in AskedPairs.values:
        raise ShadowJudgeError(f'Unknown choice of pairs "{plan.pairs}". Use all or judged.')
    if not re.fullmatch("[A-Z]{3}", plan.currency):
        raise ShadowJudgeError(f'The currency must be a code such as USD, got "{plan.currency}".')


def _check_limits(limits: Limits) -> None:
    _check_range("budget", limits.budget, 0, MOST_MONEY)
    _check_range("number of requests per minute", limits.requests_per_minute, 1, MOST_PER_MINUTE)
    _check_range("number of requests at once", limits.concurrency, 1, MOST_CONCURRENCY)
    _check_range("longest wait for an answer", limits.timeout_seconds, 1, LONGEST_TIMEOUT)


def _check_range(
    name: str, value: Decimal | float | None, lowest: float, highest: Decimal | float
) -> None:
    if value is not None and not lowest <= value <= highest:  # NaN is in no range
        raise ShadowJudgeError(f"The {name} must be from {lowest} to {highest:,}, got {value}.")


def estimate(collection: Collection, asking: Asking) -> AskingEstimate:
    """The requests that an asking would send, and their price, by a sample of its prompts.

    Raises ShadowJudgeError if no pair is open for judging.
    """
    template = check_can_be_asked(asking)
    pairs = count_pairs(collection, asking)
    sample = list(sampled_requests(collection, asking, template))
    if not pairs or not sample:
        raise ShadowJudgeError(
            "There is no pair to ask about. Open queries for judging first, or choose other pairs."
        )
    requests = pairs * len(variants(asking))
    prompt_bytes = fmean(request.prompt.most_tokens for request in sample)
    prompt_tokens = round(requests * prompt_bytes / BYTES_PER_TOKEN)
    completion_tokens = requests * asking.max_tokens
    prices = Prices(asking.prompt_price, asking.completion_price)
    largest = max(request.prompt.most_tokens for request in sample)
    return AskingEstimate(
        pairs=pairs,
        requests=requests,
        sampled=len(sample),
        prompts=_shown(sample),
        prompt_tokens=prompt_tokens,
        most_completion_tokens=completion_tokens,
        prompt_cost=prices.cost(prompt_tokens, 0),
        most_completion_cost=prices.cost(0, completion_tokens),
        most_cost_of_one=prices.cost(largest, asking.max_tokens),
        currency=asking.currency,
        budget=asking.budget,
        minutes=requests / asking.requests_per_minute,
    )


def _shown(sample: list[PairRequest]) -> list[PairRequest]:
    """Three prompts, of different queries if there are as many."""
    of_query = {request.query: request for request in reversed(sample)}
    others = [request for request in sample if of_query[request.query] is not request]
    return [*reversed(of_query.values()), *others][:SHOWN_PROMPTS]
