"""The labels of the models that the publisher chose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from accounts.models import Collection
from bundle.errors import ReleaseError
from bundle.options import LabelSource, ReleaseOptions
from bundle.records import ModelLabel, ReleasedModel
from evaluation.models import Asking, ShadowJudge, ShadowLabel
from release.snapshot.stored_records import Row, StoredRecords

READ_TOGETHER = 5_000
ASKED = (
    *("template", "template_version", "template_sha256", "temperature", "seed", "limit_name"),
    *("max_tokens", "repetitions", "swaps"),
)


class NoModelLabels(ReleaseError):
    """The labels of a chosen shadow judge cannot be in this release."""

    status = 409


def check_models(collection: Collection, options: ReleaseOptions) -> None:
    """Raise NoModelLabels unless each chosen shadow judge has labels, beside those of people.

    Citations are binary, and the grades of a model would not be on the scale of their release.
    """
    if options.model_labels and options.labels is LabelSource.CITATIONS:
        raise NoModelLabels(
            "A release of citations cannot have labels of models, whose grades are on the scale of "
            "the judgments. Publish the judgments, or choose no model."
        )
    judges = collection.shadow_judges.filter(labels_count__gt=0)
    known = list(judges.order_by("name").values_list("name", flat=True))
    for name in options.model_labels:
        if name not in known:
            listed = ", ".join(known) or "none yet"
            raise NoModelLabels(
                f'There is no shadow judge "{name}" with labels. Those with labels: {listed}.'
            )


def released_models(collection: Collection, options: ReleaseOptions) -> tuple[ReleasedModel, ...]:
    """By name. Raises NoModelLabels."""
    check_models(collection, options)
    judges = collection.shadow_judges.filter(name__in=options.model_labels).order_by("name")
    return tuple(
        ReleasedModel(judge.name, _about(judge), StoredRecords(_labels(judge), ModelLabel._make))
        for judge in sorted(judges, key=lambda judge: judge.name)
    )


def _labels(judge: ShadowJudge) -> Iterator[Row]:
    rows = (
        ShadowLabel.objects.filter(shadow_judge=judge)
        .order_by()
        .values_list("pair__query__name", "pair__candidate__document__docno", "grade")
    )
    yield from sorted(rows.iterator(READ_TOGETHER))


def _about(judge: ShadowJudge) -> dict[str, Any]:
    """Without the address, which can be inside the publisher's network, and without people."""
    about: dict[str, Any] = {
        "model": judge.model,
        "labelled_on": judge.labelled_on and judge.labelled_on.isoformat(),
        "prompt": judge.prompt,
        "sha256": judge.sha256,
    }
    asking = Asking.objects.filter(pk=judge.pk).first()
    if asking is None:
        return {**about, "came_from": "an imported file"}
    asked = {name: getattr(asking, name) for name in ASKED}
    counts = {"answers": asking.answers_count, "answers_without_a_grade": asking.problems}
    return {**about, "came_from": "asked by Qrelsmith", **asked, **counts}
