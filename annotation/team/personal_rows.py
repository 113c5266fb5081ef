"""The rows about people in this room. A candidate is named by its title, as judges see it."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_noop

from accounts.models import User
from accounts.personal_data.registry import Fate, leave_out, obstacle, register_rows
from annotation.models import Slot

ANSWER = ("grade", "reason", "note", "aspects", "details_alike", "seconds", "created_at")


def _unfinished(pair: str) -> Q:
    """True of an answer about a pair of which a slot is empty. Only its author may read it."""
    return Q(Exists(Slot.objects.unjudged().filter(pair=OuterRef(pair))))


def _of_pair(path: str) -> tuple[str, str, str]:
    return (
        f"collection={path}__query__collection__slug",
        f"query={path}__query__name",
        f"candidate={path}__candidate__document__title",
    )


register_rows(
    "deadlines",
    gettext_noop("The last days for judging that were set for the person."),
    *("collection=collection__slug", "due_on"),
    model="annotation.Deadline",
    people=["annotator"],
    fate=Fate.REMOVED,
)
register_rows(
    "judgments",
    gettext_noop("All judgments, also those that a later one replaced."),
    *(*_of_pair("slot__pair"), "sequence", *ANSWER, "proposed_grade", "guideline_version"),
    model="annotation.Judgment",
    people=["annotator"],
    private=_unfinished("slot__pair"),
)
register_rows(
    "repeated_judgments",
    gettext_noop("Judgments of pairs that came a second time, to measure self-consistency."),
    *(*_of_pair("repeat__slot__pair"), "sequence", *ANSWER),
    model="annotation.RepeatJudgment",
    people=["annotator"],
    private=_unfinished("repeat__slot__pair"),
)
register_rows(
    "judgments_kept",
    gettext_noop(
        "The questions of adjudicators to which the person answered by keeping the judgment."
    ),
    *(*_of_pair("question__pair"), "created_at"),
    model="annotation.KeptAnswer",
    people=["judgment__annotator"],
)
register_rows(
    "seats",
    gettext_noop("The queries that the person judges."),
    *("collection=opening__query__collection__slug", "query=opening__query__name"),
    model="annotation.Seat",
    people=["annotator"],
)
register_rows(
    "excluded_query_papers",
    gettext_noop("The query papers that the person must not judge."),
    *("collection=query_paper__collection__slug", "query_paper=query_paper__name", "created_at"),
    model="annotation.Exclusion",
    people=["annotator"],
)
register_rows(
    "guidelines_read",
    gettext_noop("The versions of guidelines that the person has read."),
    *("collection=guideline__facet__collection__slug", "facet=guideline__facet__key"),
    *("version=guideline__version", "read_at"),
    model="annotation.GuidelineReading",
    people=["reader"],
)
register_rows(
    "qualifications",
    gettext_noop("The qualifications of the person."),
    *("collection=collection__slug", "level", "basis", "rho", "pairs", "reason", "given_at"),
    model="annotation.Qualification",
    people=["person"],
)
register_rows(
    "qualifications_given",
    gettext_noop("Qualifications that the person gave to others, without their names."),
    *("collection=collection__slug", "level", "given_at"),
    model="annotation.Qualification",
    people=["given_by"],
)
register_rows(
    "queries_opened",
    gettext_noop("The queries that the person opened for judging."),
    *("collection=query__collection__slug", "query=query__name", "opened_at"),
    model="annotation.Opening",
    people=["opened_by"],
)
register_rows(
    "guidelines_changed",
    gettext_noop("The guideline versions that the person applied to open queries."),
    *("collection=opening__query__collection__slug", "query=opening__query__name"),
    *("version=guideline__version", "reason", "made_at"),
    model="annotation.GuidelineChange",
    people=["made_by"],
)
register_rows(
    "questions_to_judges",
    gettext_noop("The questions that the person asked judges as an adjudicator."),
    *(*_of_pair("pair"), "wording", "asked_at", "taken_back_at"),
    model="annotation.PairQuestion",
    people=["asked_by"],
)
register_rows(
    "consents",
    gettext_noop("The consent texts to which the person agreed."),
    *("collection=text__collection__slug", "version=text__version", "text=text__text"),
    *("agreed_at", "withdrawn_at"),
    model="annotation.Consent",
    people=["person"],
)
register_rows(
    "consent_texts",
    gettext_noop("The consent texts that the person wrote."),
    *("collection=collection__slug", "version", "text", "written_at"),
    model="annotation.ConsentText",
    people=["written_by"],
)
register_rows(
    "help_requests",
    gettext_noop("The questions that the person asked an admin, and the answers."),
    *("collection=facet__collection__slug", "facet=facet__key", "text", "asked_at", "answer"),
    *("for_all", "answered_at", "from_case"),
    model="annotation.HelpRequest",
    people=["asker"],
)
register_rows(
    "help_answers",
    gettext_noop("The answers that the person gave as an admin."),
    *("collection=facet__collection__slug", "facet=facet__key", "answer", "for_all"),
    "answered_at",
    model="annotation.HelpRequest",
    people=["answered_by"],
)
register_rows(
    "help_answers_read",
    gettext_noop("The answers of admins that the person has read."),
    *("collection=request__facet__collection__slug", "facet=request__facet__key", "read_at"),
    model="annotation.HelpReading",
    people=["reader"],
)
register_rows(
    "help_examples",
    gettext_noop("The examples of guidelines that the person wrote from answers."),
    *("collection=guideline__facet__collection__slug", "facet=guideline__facet__key"),
    *("version=guideline__version", "written_at"),
    model="annotation.HelpExample",
    people=["written_by"],
)
leave_out(
    "The places of judgments and repeats, and counts of them. They would tell which pairs come "
    "again, and judgments.jsonl has what was judged.",
    "annotation.Slot.annotator",
    "annotation.SlotCount.annotator",
    "annotation.Repeat.annotator",
)


@obstacle
def pairs_to_judge(person: User) -> list[str]:
    """The collections in which the person's seats must be given to others first."""
    waiting = Slot.objects.for_annotator(person).unjudged().order_by()
    names = waiting.values_list("pair__query__collection__name", flat=True).distinct()
    return [
        f"{person.shown_name} still has pairs to judge in {name}. Assign them to another person "
        "first."
        for name in sorted(names)
    ]
