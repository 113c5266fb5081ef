"""Ask a model for its labels, or continue to ask it."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from evaluation.shadow_judges.asking.models import AskedPairs, LimitName
from evaluation.shadow_judges.asking.pairs import PairRequest
from evaluation.shadow_judges.asking.prompts import latest_templates
from evaluation.shadow_judges.asking.services import (
    AskingEstimate,
    AskingPlan,
    Limits,
    ask_model,
    asking_of,
    begin_asking,
    change_limits,
    check_can_be_asked,
    checked_asking,
    estimate,
)
from jobs.context import DirectRun
from web.words import count_noun

LIMITS = tuple(Limits.__dataclass_fields__)


class Command(ProjectCommand):
    help = (
        "Ask a model at an address of the setting MODEL_ADDRESSES for labels of pairs. They are "
        "compared with people's judgments and never count as labels. For a name that exists, ask "
        "what has no answer yet. A dry run prints three prompts and the price, and sends nothing."
    )
    stage = "Evaluation"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        add = parser.add_argument
        add("--name", required=True, help="Of the shadow judge, such as gpt-4o-zero-shot.")
        add("--model", help="As the server names it. Without it, continue.")
        add("--address", help="An address of MODEL_ADDRESSES, as it stands there.")
        names = [template.name for template in latest_templates()]
        add("--template", choices=names, default="guideline")
        add("--description", default="")
        add("--temperature", type=_optional(float), default=0.0, help='A number, or "none".')
        add("--seed", type=_optional(int), default=1, help='A whole number, or "none".')
        add("--max-tokens", type=int, default=500, help="The longest answer (default: 500).")
        add("--limit-name", choices=LimitName.values, default=LimitName.MAX_TOKENS.value)
        add("--repetitions", type=int, default=1, help="Of each prompt (default: 1).")
        add("--swaps", action="store_true", help="Also with the candidate before the query.")
        add("--facet", action="append", dest="facets", default=[], help="Default: all.")
        add("--pairs", choices=AskedPairs.values, default=AskedPairs.ALL.value)
        add("--currency", default="USD")
        add("--prompt-price", type=_money, default=Decimal(0), help="For a million tokens.")
        add("--completion-price", type=_money, default=Decimal(0), help="For a million tokens.")
        add("--budget", type=_money, help="In that currency (default: 0).")
        add("--requests-per-minute", type=int, help="The default is 60.")
        add("--concurrency", type=int, help="Requests at once (default: 4).")
        add("--timeout-seconds", type=int, help="The longest wait for an answer (default: 120).")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        name = options["name"]
        given = {key: options[key] for key in LIMITS if options[key] is not None}
        judge = collection.shadow_judges.filter(name=name).first()
        if judge is None:
            planned = _plan(options, Limits(**given))
            if options["dry_run"]:
                self._say(estimate(collection, checked_asking(collection, planned)))
                return
            begin_asking(collection=collection, plan=planned, begun_by=None)
        else:
            asking = asking_of(judge)
            limits = Limits(**{key: given.get(key, getattr(asking, key)) for key in LIMITS})
            if options["dry_run"]:
                check_can_be_asked(asking)
                self._say(estimate(collection, asking))
                return
            change_limits(collection=collection, name=name, limits=limits)
        with DirectRun() as work:
            result = ask_model(collection=collection, name=name, work=work)
        answers = count_noun(int(str(result["answers"])), "answer")
        self.stdout.write(
            f"{collection.slug}: {answers} of {name}, {result['without_a_grade']} without a grade, "
            f"{result['spent']} spent."
        )
        if "stopped_by_the_budget" in result:
            self.stdout.write("The budget ended it. Continue with a larger --budget.")

    def _say(self, planned: AskingEstimate) -> None:
        for request in planned.prompts:
            self.stdout.write(_shown(request))
        self.stdout.write(
            f"{count_noun(planned.requests, 'request')} about {count_noun(planned.pairs, 'pair')}: "
            f"about {planned.prompt_tokens:,} tokens of prompts (4 bytes a token), at most "
            f"{planned.most_completion_tokens:,} of answers, at most about "
            f"{planned.most_cost.normalize():f} {planned.currency}."
        )


def _plan(options: dict[str, Any], limits: Limits) -> AskingPlan:
    for option in ("model", "address"):
        if not options[option]:
            raise CommandError(
                f"--{option} is missing. A shadow judge that is new needs --model and --address."
            )
    names = set(AskingPlan.__dataclass_fields__) - {"limits", "facets"}
    values = {name: options[name] for name in names}
    return AskingPlan(**values, facets=tuple(options["facets"]), limits=limits)


def _shown(request: PairRequest) -> str:
    system, user = request.prompt
    return f"--- {request.query} {request.docno}\n{system}\n\n{user}\n"


def _money(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise CommandError(f'"{text}" is not an amount such as 2.50.') from None


def _optional(kind: type[int] | type[float]) -> Any:
    def read(text: str) -> int | float | None:
        try:
            return None if text == "none" else kind(text)
        except ValueError:
            raise CommandError(f'"{text}" is not a number, and not "none".') from None

    return read
