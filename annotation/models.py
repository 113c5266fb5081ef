"""Two blind judges for every pair. The rules are constraints, and the triggers of `rules/`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, FilteredRelation, OuterRef, Q
from django.utils.translation import gettext_lazy

from accounts.models import HIGHEST_GRADE, Collection, User
from corpus.models import Facet, Query, QueryPaper
from pooling.models import Candidate


class Reason(models.TextChoices):
    """The reason why an annotator could not judge. A missing grade always has a reason."""

    GARBLED = "garbled", gettext_lazy("The text is garbled or cut off")
    LANGUAGE = "language", gettext_lazy("It is in a language I do not read")
    OTHER = "other", gettext_lazy("Something else (say what in the note)")
    SOURCE = "source", gettext_lazy("Missing in the imported data")

    @classmethod
    def offered(cls) -> list[tuple[str, Any]]:
        return [(value, label) for value, label in cls.choices if value != cls.SOURCE]


def grade_or_reason(name: str) -> models.CheckConstraint:
    """An answer has a grade, or a reason why it has none, and never both."""
    return models.CheckConstraint(
        condition=Q(grade__isnull=False, grade__lte=HIGHEST_GRADE, reason="")
        | Q(grade__isnull=True, reason__in=Reason.values),
        name=name,
    )


def proposed_with_steps(name: str) -> models.CheckConstraint:
    """A grade is proposed, and details are compared, where steps are marked for a grade above 0."""
    return models.CheckConstraint(
        condition=Q(details_alike=None, proposed_grade=None)
        | Q(
            Q(proposed_grade=None)
            | Q(grade__isnull=False, grade__gt=0, proposed_grade__lte=HIGHEST_GRADE),
            Q(details_alike=False) | Q(~Q(aspects=[]), details_alike=True),
            aspects__isnull=False,
            details_alike__isnull=False,
        ),
        name=name,
    )


class AppendedAnswer(models.Model):
    """An answer beside the judgments in slots. Appended and superseded, never edited or deleted.

    The highest sequence of a person on a pair counts. `seconds` is NULL if no time was measured.
    """

    sequence = models.PositiveSmallIntegerField(
        help_text="1, 2, … within the pair; the last counts."
    )
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=20, choices=Reason, blank=True)
    note = models.TextField(blank=True)
    presentation_digest = models.CharField(max_length=64, help_text="Of what was on screen.")
    key = models.UUIDField(unique=True, help_text="The same submission sent twice counts once.")
    seconds = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class GradeMeaning(TypedDict):
    """The meaning of a grade under a facet."""

    grade: int
    name: str
    definition: str
    detail: NotRequired[str]
    example: NotRequired[str]


class GuidelineText(TypedDict):
    instructions: str
    grades: list[GradeMeaning]


class Guideline(models.Model):
    """The meaning of the grades under one facet. A change is a new version, applied by choice.

    `grades` has a text for each grade of the collection's scale, 0 first.
    """

    facet = models.ForeignKey(Facet, models.CASCADE, related_name="guidelines")
    version = models.PositiveSmallIntegerField()
    instructions = models.TextField(blank=True)
    grades: models.JSONField[list[GradeMeaning], list[GradeMeaning]] = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["facet", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["facet", "version"], name="guideline_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.facet} guideline {self.version}"


class GuidelineReading(models.Model):
    """A person's reading of a version of a guideline. Who judges by a later one reads it first."""

    guideline = models.ForeignKey(Guideline, models.CASCADE, related_name="readings")
    reader = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    read_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["guideline", "reader"], name="guideline_reading_once")
        ]

    def __str__(self) -> str:
        return f"{self.guideline} read by {self.reader}"


class OpeningQuerySet(models.QuerySet["Opening"]):
    def of(self, collection: Collection) -> OpeningQuerySet:
        return self.filter(query__collection=collection)


class Opening(models.Model):
    """A query's opening for judging: its guideline, the time, and the round of judging.

    A change of guideline or round is a row of `GuidelineChange`, whose trigger writes it here.
    """

    query = models.OneToOneField(Query, models.PROTECT, related_name="opening")
    guideline = models.ForeignKey(Guideline, models.PROTECT, related_name="openings")
    round = models.PositiveSmallIntegerField(default=1, db_default=1)
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True)
    opened_at = models.DateTimeField(auto_now_add=True)
    labels_unchecked = models.BooleanField(
        null=True,
        blank=True,
        help_text="Whether the query paper had predicted labels that no person had checked. "
        "Null for queries that were opened before this was recorded.",
    )

    proposal_steps = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="The number of named steps from which a grade is proposed, or NULL.",
    )
    proposal_block = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="1, 2, … within the facet: the two queries of a block drew lots for the "
        "proposals. NULL if no lot was drawn.",
    )

    objects = OpeningQuerySet.as_manager()

    class Meta:
        ordering = ["query__name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(proposal_steps=None) | Q(proposal_steps__gte=2),
                name="opening_proposal_has_two_steps",
            ),
        ]

    def __str__(self) -> str:
        return f"opening of {self.query}"


LONGEST_REASON = 1_000  # why a pair or a query is judged again


class GuidelineChange(models.Model):
    """Another version of the guideline, applied to an open query instead of the earlier one.

    In the same round, earlier judgments stay, under the version that they were made under. A new
    round empties every slot: all pairs are judged again, and no page shows the earlier judgments.
    """

    opening = models.ForeignKey(Opening, models.CASCADE, related_name="guideline_changes")
    earlier = models.ForeignKey(Guideline, models.PROTECT, related_name="+")
    guideline = models.ForeignKey(Guideline, models.PROTECT, related_name="+")
    round = models.PositiveSmallIntegerField()
    reason = models.TextField(help_text="A changelog publishes it. No judge is shown it.")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["opening", "round", "guideline"], name="guideline_change_once"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="guideline_change_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.guideline} applied to {self.opening}"


class Seat(models.Model):
    """A query's first or second annotator: new slots of this number are theirs."""

    opening = models.ForeignKey(Opening, models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="seats")
    senior_reason = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="Why a senior judges, where seniors adjudicate.",
    )

    class Meta:
        ordering = ["opening", "number"]
        constraints = [
            models.UniqueConstraint(fields=["opening", "number"], name="seat_number_once"),
            models.UniqueConstraint(fields=["opening", "annotator"], name="seat_annotator_once"),
            models.CheckConstraint(condition=Q(number__in=(1, 2)), name="seat_number_is_1_or_2"),
        ]

    def __str__(self) -> str:
        return f"seat {self.number} of {self.opening}"


class Exclusion(models.Model):
    """A person who may not judge the queries of a query paper, such as one of its authors.

    `practised` people judged a query of it in practice and talked about it with others. A rule of
    `practice` keeps these exclusions.
    """

    query_paper = models.ForeignKey(QueryPaper, models.CASCADE, related_name="exclusions")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="exclusions"
    )
    practised = models.BooleanField(default=False, db_default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["query_paper", "annotator"]
        constraints = [
            models.UniqueConstraint(fields=["query_paper", "annotator"], name="exclusion_once")
        ]

    def __str__(self) -> str:
        return f"{self.annotator} excluded from {self.query_paper}"


# Of pairs with both judgments and their grades.
DISPUTED = (
    Q(first_grade=None)
    | Q(second_grade=None)
    | ~Q(first_grade=F("second_grade"))
    | Q(referral_count__gt=0)
)


class PairQuerySet(models.QuerySet["Pair"]):
    def of(self, collection: Collection) -> PairQuerySet:
        return self.filter(query__collection=collection)

    def with_grades(self) -> PairQuerySet:
        """Add `first` and `second` (judgment ids), `first_grade` and `second_grade`."""
        return self.annotate(  # type: ignore[no-redef]  # declared on Pair for its readers
            slot_1=FilteredRelation("slots", condition=Q(slots__number=1)),
            slot_2=FilteredRelation("slots", condition=Q(slots__number=2)),
        ).annotate(
            first=F("slot_1__judgment_id"),
            second=F("slot_2__judgment_id"),
            first_grade=F("slot_1__judgment__grade"),
            second_grade=F("slot_2__judgment__grade"),
        )

    def judged(self) -> PairQuerySet:
        """Both slots hold a judgment. Until then a judgment is visible to its author only."""
        filters = {"first__isnull": False, "second__isnull": False}
        return self.with_grades().filter(**filters)

    def disputed(self) -> PairQuerySet:
        """Judged, and for the adjudicator.

        The grades differ, a slot says "cannot judge", or an admin sent the pair to adjudication.
        """
        return self.judged().filter(DISPUTED)

    def referred(self) -> PairQuerySet:
        """An admin sent them to the adjudicator. An index holds these few pairs."""
        return self.filter(referral_count__gt=0)


class Pair(models.Model):
    """A query and a candidate to judge. `token` names it in addresses and reveals nothing."""

    query = models.ForeignKey(Query, models.PROTECT, related_name="pairs")
    candidate = models.ForeignKey(Candidate, models.PROTECT, related_name="pairs")
    token = models.CharField(max_length=32)
    presentation_digest = models.CharField(
        max_length=64,
        blank=True,
        help_text="Of what a judge saw when the query opened, or was given its guideline.",
    )
    text_changed = models.BooleanField(
        default=False, help_text="A trigger sets it when one of its two documents changes."
    )
    referral_count = models.SmallIntegerField(
        default=0,
        db_default=0,
        help_text="How often an admin sent it to the adjudicator since it was last opened for two "
        "judges. Triggers count; see adjudication.Referral.",
    )

    spot_check_number = models.FloatField(
        default=1,
        db_default=1,
        help_text="From 0 to below 1, of the collection's seed. An agreed pair is a spot check if "
        "it is below the collection's share. No page shows it.",
    )

    if TYPE_CHECKING:  # what `with_grades` adds
        first: int | None
        second: int | None
        first_grade: int | None
        second_grade: int | None

    objects = PairQuerySet.as_manager()

    class Meta:
        ordering = ["query", "token"]
        constraints = [
            models.UniqueConstraint(fields=["query", "candidate"], name="pair_candidate_once"),
            models.UniqueConstraint(fields=["query", "token"], name="pair_token_once"),
        ]
        indexes = [
            models.Index(
                fields=["query"], condition=Q(text_changed=True), name="pair_with_changed_text"
            ),
            models.Index(fields=["query"], condition=Q(referral_count__gt=0), name="pair_referred"),
        ]

    def __str__(self) -> str:
        return f"{self.candidate} for {self.query}"


class PairCount(models.Model):
    """Counts of one opened query's pairs. Triggers keep them; nothing else writes here.

    `revision` grows with every change of a judgment that counts, and with every question to the
    judges of a pair. So the same revision means the same judgments and questions.
    """

    query = models.OneToOneField(Query, models.CASCADE, primary_key=True, related_name="pair_count")
    total = models.IntegerField()
    judged = models.IntegerField(help_text="Pairs with both judgments.")
    disputed = models.IntegerField(help_text="Judged pairs for adjudication.")
    revision = models.IntegerField()

    def __str__(self) -> str:
        return f"counts of {self.query}"


class SlotQuerySet(models.QuerySet["Slot"]):
    def of(self, collection: Collection) -> SlotQuerySet:
        return self.filter(pair__query__collection=collection)

    def for_annotator(self, user: User) -> SlotQuerySet:
        return self.filter(annotator=user)

    def judged(self) -> SlotQuerySet:
        return self.filter(judgment__isnull=False)

    def unjudged(self) -> SlotQuerySet:
        return self.filter(judgment=None)

    def in_judging_order(self) -> SlotQuerySet:
        """The annotator's own random order; postponed pairs come last."""
        return self.order_by(F("postponed_at").asc(nulls_first=True), "position")


class Slot(models.Model):
    """A place for a judgment; a pair has two. Made when the query opens, never counted."""

    pair = models.ForeignKey(Pair, models.CASCADE, related_name="slots")
    number = models.PositiveSmallIntegerField()
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="slots")
    position = models.PositiveIntegerField(help_text="Place in the annotator's own order, from 1.")
    postponed_at = models.DateTimeField(null=True, blank=True)
    judgment = models.OneToOneField(
        "Judgment", models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = SlotQuerySet.as_manager()

    class Meta:
        ordering = ["pair", "number"]
        constraints = [
            models.UniqueConstraint(fields=["pair", "number"], name="slot_number_once"),
            models.UniqueConstraint(fields=["pair", "annotator"], name="slot_annotator_once"),
            models.CheckConstraint(condition=Q(number__in=(1, 2)), name="slot_number_is_1_or_2"),
        ]
        indexes = [models.Index(fields=["annotator", "judgment"], name="slot_by_annotator")]

    def __str__(self) -> str:
        return f"slot {self.number} of {self.pair}"


class SlotCount(models.Model):
    """Counts of one annotator's slots under one number of a query. Triggers keep them."""

    query = models.ForeignKey(Query, models.CASCADE, related_name="slot_counts", db_index=False)
    number = models.PositiveSmallIntegerField()
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="slot_counts"
    )
    total = models.IntegerField()
    judged = models.IntegerField()
    postponed = models.IntegerField(help_text="Postponed and not judged yet.")
    ungraded = models.IntegerField(help_text="Judged without a grade.")
    latest_at = models.DateTimeField(null=True, help_text="Time of the latest judgment in a slot.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["query", "number", "annotator"], name="slot_count_once")
        ]
        # Without it, SQLite goes through all queries of the person for each query of a page.
        indexes = [models.Index(fields=["annotator", "query"], name="slot_count_by_annotator")]

    def __str__(self) -> str:
        return f"slots {self.number} of {self.query} and {self.annotator}"


class Judgment(models.Model):
    """An annotator's answer in a slot. Appended and superseded, never edited or deleted.

    A pair that is opened for two judges again shows none; the earlier ones stay here.
    """

    slot = models.ForeignKey(Slot, models.PROTECT, related_name="judgments")
    sequence = models.PositiveSmallIntegerField(
        help_text="1, 2, … within the slot; the last counts."
    )
    # No index of its own: `judgment_by_annotator` begins with it.
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="judgments", db_index=False
    )
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=20, choices=Reason, blank=True)
    note = models.TextField(blank=True)
    aspects: models.JSONField[list[int] | None, list[int] | None] = models.JSONField(
        null=True,
        blank=True,
        help_text="Numbers of what the match is about, in order; NULL if the collection did not "
        "ask. They are of sentences of the query, or of its named aspects.",
    )
    details_alike = models.BooleanField(
        null=True,
        blank=True,
        help_text="Whether the details of the marked steps agree, too; NULL if it was not asked.",
    )
    proposed_grade = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="The grade that the marked steps suggest, shown after it was saved.",
    )
    presentation_digest = models.CharField(max_length=64, help_text="Of what was on screen.")
    guideline_version = models.PositiveSmallIntegerField(help_text="It was made under this one.")
    round = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="That of its query. An earlier one is superseded."
    )
    key = models.UUIDField(unique=True, help_text="The same submission sent twice counts once.")
    seconds = models.FloatField(null=True, blank=True)
    is_imported = models.BooleanField(
        null=True,
        blank=True,
        help_text="It was given elsewhere, and so was the consent. NULL is no.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["slot", "sequence"]
        constraints = [
            models.UniqueConstraint(fields=["slot", "sequence"], name="judgment_sequence_once"),
            grade_or_reason("judgment_grade_or_reason"),
            models.CheckConstraint(
                condition=Q(aspects__isnull=True)
                | Q(aspects=[])
                | Q(grade__isnull=False, grade__gt=0),
                name="judgment_aspects_with_a_grade",
            ),
            proposed_with_steps("judgment_proposal_with_steps"),
        ]
        indexes = [
            models.Index(fields=["annotator", "id"], name="judgment_by_annotator"),
            models.Index(fields=["created_at"], name="judgment_by_time"),
        ]

    def __str__(self) -> str:
        return f"judgment {self.sequence} in {self.slot}"


class RepeatQuerySet(models.QuerySet["Repeat"]):
    def of(self, collection: Collection) -> RepeatQuerySet:
        return self.filter(query__collection=collection)

    def shown(self) -> RepeatQuerySet:
        """Those that their annotators can see: of the present round, and of no pair opened again.

        A pair opened again is to be judged afresh, so an earlier answer to it is hidden.
        """
        opened_again = Q(slot__judgment__isnull=True, judgment__compared__isnull=False)
        return self.filter(~opened_again, round=F("query__opening__round"))

    def for_annotator(self, user: User) -> RepeatQuerySet:
        return self.filter(annotator=user)

    def judged(self) -> RepeatQuerySet:
        return self.filter(judgment__isnull=False)

    def unjudged(self) -> RepeatQuerySet:
        return self.filter(judgment=None)


class Repeat(models.Model):
    """A pair that its annotator judges a second time, without being told. It never counts.

    Made with the slots, or when a seat or a round is given. Triggers drop one without a judgment
    when the work on it ends: its seat is handed over, or its pair is opened again.

    With a `pool_round` from 2, a pair of an earlier pool round comes among those of this one, at
    its `position` in the person's order. Another person may have judged it: the slot says who.
    """

    slot = models.ForeignKey(Slot, models.CASCADE, related_name="repeats")
    # That of the slot. No index of its own: those below begin with it.
    query = models.ForeignKey(Query, models.CASCADE, related_name="repeats", db_index=False)
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="repeats")
    round = models.PositiveSmallIntegerField(default=1, db_default=1)
    pool_round = models.PositiveSmallIntegerField(default=1, db_default=1)
    position = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="As that of a slot. NULL: it comes some time after its pair.",
    )
    token = models.CharField(max_length=32, help_text="Its name in addresses, like that of a pair.")
    postponed_at = models.DateTimeField(null=True, blank=True)
    judgment = models.OneToOneField(
        "RepeatJudgment", models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = RepeatQuerySet.as_manager()

    class Meta:
        ordering = ["query", "token"]
        constraints = [
            models.UniqueConstraint(fields=["query", "token"], name="repeat_token_once"),
            models.UniqueConstraint(
                fields=["slot", "annotator", "round"], name="repeat_once_a_round"
            ),
            models.CheckConstraint(
                condition=Q(pool_round=1, position=None)
                | Q(pool_round__gte=2, position__isnull=False),
                name="repeat_of_a_pool_round_has_a_position",
            ),
        ]
        indexes = [models.Index(fields=["query", "annotator"], name="repeat_by_query")]

    def __str__(self) -> str:
        return f"repeat of {self.slot}"


class RepeatJudgment(models.Model):
    """An annotator's answer to a repeat. Appended and superseded, never edited or deleted.

    `compared` is the judgment that the slot showed then. It is None if there was none: the pair was
    put off while its repeat was on the person's screen already.
    """

    repeat = models.ForeignKey(Repeat, models.PROTECT, related_name="judgments")
    sequence = models.PositiveSmallIntegerField(
        help_text="1, 2, … within the repeat; the last is compared."
    )
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="repeat_judgments"
    )
    grade = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=20, choices=Reason, blank=True)
    note = models.TextField(blank=True)
    aspects: models.JSONField[list[int] | None, list[int] | None] = models.JSONField(
        null=True, blank=True, help_text="As those of a judgment."
    )
    details_alike = models.BooleanField(null=True, blank=True, help_text="As that of a judgment.")
    proposed_grade = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="As that of a judgment."
    )
    presentation_digest = models.CharField(max_length=64, help_text="Of what was on screen.")
    guideline_version = models.PositiveSmallIntegerField(help_text="It was made under this one.")
    round = models.PositiveSmallIntegerField(default=1, db_default=1)
    key = models.UUIDField(unique=True, help_text="The same submission sent twice counts once.")
    seconds = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    compared = models.ForeignKey(
        Judgment, models.PROTECT, null=True, blank=True, related_name="repeat_judgments"
    )
    distance = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="How many own answers in this query lie between the two judgments.",
    )

    class Meta:
        ordering = ["repeat", "sequence"]
        constraints = [
            models.UniqueConstraint(
                fields=["repeat", "sequence"], name="repeat_judgment_sequence_once"
            ),
            models.CheckConstraint(
                condition=Q(grade__isnull=False, grade__lte=HIGHEST_GRADE, reason="")
                | Q(grade__isnull=True, reason__in=Reason.values),
                name="repeat_judgment_grade_or_reason",
            ),
            models.CheckConstraint(
                condition=Q(aspects__isnull=True)
                | Q(aspects=[])
                | Q(grade__isnull=False, grade__gt=0),
                name="repeat_judgment_aspects_with_a_grade",
            ),
            proposed_with_steps("repeat_judgment_proposal_with_steps"),
            models.CheckConstraint(
                condition=Q(compared=None, distance=None)
                | Q(compared__isnull=False, distance__isnull=False),
                name="repeat_judgment_compared_at_a_distance",
            ),
        ]

    def __str__(self) -> str:
        return f"judgment {self.sequence} of {self.repeat}"


class Level(models.TextChoices):
    """The work that a qualification is for."""

    JUDGE = "judge", "Judge"
    SENIOR = "senior", "Senior"


class Basis(models.TextChoices):
    """The grounds of a row of a person's qualification."""

    TRAINING = "training", "Passed a training set"
    JUDGMENTS = "judgments", "Measured on judgments"
    OVERRIDE = "override", "Given by an admin"
    WITHDRAWAL = "withdrawal", "Withdrawn"


class Qualification(models.Model):
    """A person's qualification at a level, or its withdrawal. The latest row of a level counts."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="qualifications")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="qualifications", db_index=False
    )
    level = models.CharField(max_length=6, choices=Level)
    basis = models.CharField(max_length=10, choices=Basis)
    rho = models.FloatField(null=True, blank=True, help_text="Spearman's, where it was measured.")
    pairs = models.PositiveIntegerField(null=True, blank=True, help_text="Those behind rho.")
    reason = models.TextField(blank=True, default="")
    given_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    given_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(level__in=Level.values), name="qualification_level_known"
            ),
            models.CheckConstraint(
                # NULL would pass a range.
                condition=Q(
                    basis__in=["training", "judgments"],
                    rho__isnull=False,
                    rho__range=(-1, 1),
                    pairs__isnull=False,
                    pairs__gt=0,
                )
                | Q(~Q(reason=""), basis__in=["override", "withdrawal"], rho=None, pairs=None),
                name="qualification_is_measured_or_has_reason",
            ),
        ]
        # `annotation/slot_sql.py` asks for it with each judgment.
        indexes = [
            models.Index(fields=["person", "collection", "level"], name="qualification_by_person")
        ]

    def __str__(self) -> str:
        return f"{self.person} as {self.level} in {self.collection}: {self.basis}"


class Wording(models.TextChoices):
    """The words of a question. None of them says anything of a grade."""

    AGAIN = "again", gettext_lazy("Look at this pair again.")
    GUIDELINE = "guideline", gettext_lazy("Read the guideline again, and then this pair.")


class PairQuestionQuerySet(models.QuerySet["PairQuestion"]):
    def of(self, collection: Collection) -> PairQuestionQuerySet:
        return self.filter(pair__query__collection=collection)

    def open(self) -> PairQuestionQuerySet:
        """Not taken back, and at least one judge has not answered."""
        return self.filter(_unanswered("first") | _unanswered("second"), taken_back_at=None)

    def open_for(self, user: User) -> PairQuestionQuerySet:
        """Those that the person has not answered. The answer of the other judge has no part."""
        own_side = Q(first__annotator=user) & _unanswered("first")
        other_side = Q(second__annotator=user) & _unanswered("second")
        return self.filter(own_side | other_side, taken_back_at=None)


def _unanswered(side: str) -> Q:
    """The slot still shows the judgment of this side, and its judge has not kept it."""
    shown = Slot.objects.filter(judgment=OuterRef(f"{side}_id"))
    kept = KeptAnswer.objects.filter(question=OuterRef("pk"), judgment=OuterRef(f"{side}_id"))
    return Q(Exists(shown)) & ~Q(Exists(kept))


class PairQuestion(models.Model):
    """A question of the adjudicator to both judges of a pair, in the same words.

    `first` and `second` are the judgments that it is about. A judge answers with another judgment,
    or with a `KeptAnswer`. The numbers of the marked sentences count from 1.
    """

    pair = models.ForeignKey(Pair, models.PROTECT, related_name="questions")
    first = models.ForeignKey(Judgment, models.PROTECT, related_name="+")
    second = models.ForeignKey(Judgment, models.PROTECT, related_name="+")
    wording = models.CharField(max_length=12, choices=Wording)
    query_sentences: models.JSONField[list[int], list[int]] = models.JSONField(default=list)
    candidate_sentences: models.JSONField[list[int], list[int]] = models.JSONField(default=list)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(auto_now_add=True)
    taken_back_at = models.DateTimeField(null=True, blank=True)

    objects = PairQuestionQuerySet.as_manager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="question_on_judgments_once"),
            models.CheckConstraint(
                condition=Q(wording__in=Wording.values), name="question_wording_known"
            ),
        ]

    def __str__(self) -> str:
        return f"question on {self.pair}"


class KeptAnswer(models.Model):
    """A judge's answer to a question that keeps the judgment."""

    question = models.ForeignKey(PairQuestion, models.PROTECT, related_name="kept_answers")
    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["question", "judgment"], name="kept_answer_once")
        ]

    def __str__(self) -> str:
        return f"{self.judgment} kept"


LONGEST_HELP_TEXT = 4_000  # of a help request, and of its answer


class HelpRequestQuerySet(models.QuerySet["HelpRequest"]):
    def of(self, collection: Collection) -> HelpRequestQuerySet:
        return self.filter(facet__collection=collection)

    def open(self) -> HelpRequestQuerySet:
        return self.filter(answered_at=None)

    def answered(self) -> HelpRequestQuerySet:
        return self.filter(answered_at__isnull=False)

    def visible_to(self, judge: User) -> HelpRequestQuerySet:
        """The judge's own, and those whose answer is for all judges. No other is shown to judges.

        Of another person's request, a judge may see the answer alone.
        """
        return self.filter(Q(asker=judge) | Q(for_all=True))

    def unread_by(self, judge: User) -> HelpRequestQuerySet:
        """Answered, visible to the judge, and not marked as read by him or her."""
        readings = HelpReading.objects.filter(request=OuterRef("pk"), reader=judge)
        return self.visible_to(judge).answered().filter(~Exists(readings))


class HelpRequest(models.Model):
    """A request for help from the admin, about a pair or about a facet's guideline.

    A judge asks about an own pair, an adjudicator `from_case`. The words of both sides never
    change; an answer is given once. `token` is the name under which the asker saw the pair: its
    own, or that of a repeat, so that no page tells one from the other.
    """

    facet = models.ForeignKey(Facet, models.PROTECT, related_name="help_requests")
    pair = models.ForeignKey(
        Pair, models.PROTECT, null=True, blank=True, related_name="help_requests"
    )
    token = models.CharField(max_length=32, blank=True, default="")
    from_case = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether an adjudicator asked it, on the page of a case.",
    )
    asker = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="help_requests"
    )
    text = models.TextField()
    key = models.UUIDField(unique=True, help_text="The same submission sent twice counts once.")
    asked_at = models.DateTimeField(auto_now_add=True)
    answer = models.TextField(blank=True, default="")
    for_all = models.BooleanField(
        default=False, help_text="Whether all judges of the facet read the answer."
    )
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)

    objects = HelpRequestQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["asker", "pair", "token"],
                condition=Q(answered_at=None, pair__isnull=False),
                name="help_request_open_once",
            ),
            models.UniqueConstraint(
                fields=["asker", "facet"],
                condition=Q(answered_at=None, pair=None),
                name="help_request_on_guideline_open_once",
            ),
            models.CheckConstraint(condition=~Q(text=""), name="help_request_has_text"),
            models.CheckConstraint(
                condition=Q(pair=None, token="") | Q(Q(pair__isnull=False), ~Q(token="")),
                name="help_request_on_pair_has_token",
            ),
            models.CheckConstraint(
                condition=Q(answer="", for_all=False, answered_by=None, answered_at=None)
                | Q(~Q(answer=""), answered_by__isnull=False, answered_at__isnull=False),
                name="help_request_answered_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"help request {self.pk} of {self.facet}"

    @property
    def is_answered(self) -> bool:
        return self.answered_at is not None


class HelpReading(models.Model):
    """A judge's mark that he or she has read the answer to a help request."""

    request = models.ForeignKey(HelpRequest, models.PROTECT, related_name="readings")
    reader = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    read_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["request", "reader"], name="help_reading_once")
        ]

    def __str__(self) -> str:
        return f"answer to {self.request} read by {self.reader}"


class HelpExample(models.Model):
    """A version of a guideline that was written from a help request.

    `shows_pair`: its new text names the paper of the request's pair. A rule of `adjudication`
    refuses that before the pair has a final label: its judges would read the grade.
    """

    request = models.ForeignKey(HelpRequest, models.PROTECT, related_name="examples")
    guideline = models.OneToOneField(Guideline, models.PROTECT, related_name="help_example")
    shows_pair = models.BooleanField()
    written_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    written_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.guideline} from {self.request}"


from annotation.consent.models import Consent, ConsentText  # noqa: E402, F401 (models of this app)
from annotation.deadlines.models import Deadline  # noqa: E402, F401 (a model of this app)
