"""A model that is asked, as the page of its shadow judge shows it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from accounts.models import Collection
from evaluation.shadow_judges.asking import pairs
from evaluation.shadow_judges.asking.answers import PROBLEM_WORDS
from evaluation.shadow_judges.asking.forms import LimitsForm, limits_form
from evaluation.shadow_judges.asking.models import Asking
from evaluation.shadow_judges.asking.services import ASKING_KIND, spent
from evaluation.shadow_judges.models import ShadowJudge
from jobs.listing import jobs_to_show
from jobs.models import Job


@dataclass(frozen=True)
class AskingFigures:
    """The asking of a shadow judge, with the figures of its answers."""

    collection: Collection
    judge: ShadowJudge
    row: Asking

    @cached_property
    def jobs(self) -> list[Job]:
        jobs = jobs_to_show(self.collection, [ASKING_KIND])
        return [job for job in jobs if job.parameters.get("shadow_judge") == self.judge.name]

    @property
    def is_live(self) -> bool:
        return any(job.is_live for job in self.jobs)

    @cached_property
    def pairs(self) -> int:
        return pairs.count_pairs(self.collection, self.row)

    @property
    def total(self) -> int:
        return self.pairs * len(pairs.variants(self.row))

    @property
    def left(self) -> int:
        return max(0, self.total - self.row.answers_count)

    @property
    def problems(self) -> list[tuple[str, int]]:
        """In words, the most frequent first."""
        counts = sorted(self.row.problems.items(), key=lambda item: (-item[1], item[0]))
        return [(PROBLEM_WORDS.get(problem, problem), number) for problem, number in counts]

    @property
    def spent(self) -> Decimal:
        return spent(self.row)

    @property
    def mean_seconds(self) -> float:
        return self.row.seconds / self.row.answers_count

    @property
    def form(self) -> LimitsForm:
        return limits_form(self.row)


def asking_figures(collection: Collection, judge: ShadowJudge) -> AskingFigures | None:
    """None for a shadow judge whose labels came from a file."""
    row = Asking.objects.filter(pk=judge.pk).first()
    return AskingFigures(collection, judge, row) if row else None
