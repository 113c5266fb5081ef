"""What an admin's script sends and gets."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from accounts.models import ADMIN, Collection, Membership
from agreement.coefficients import EXCLUDE, ZERO
from annotation.models import Pair, Slot
from api.base import Strict
from corpus.forms import MOST_SKIPPED
from corpus.models import Document, Query
from evaluation import scores
from evaluation.measures import CSFCUBE, MDCR, SCOPES, TREC
from pooling.forms import STRATEGY_CHOICES
from pooling.models import Candidate, Contribution, PoolSet
from release.models import Release
from retrieval.models import Run

Rows = serializers.Serializer[Any]


def strings(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(), **options)


class CollectionSerializer(serializers.ModelSerializer[Collection]):
    facets = strings()
    grades = strings()
    roles = serializers.SerializerMethodField(help_text="Yours.")

    class Meta:
        model = Collection
        fields = ["slug", "name", "facets", "grades", "roles"]

    @extend_schema_field(strings())
    def get_roles(self, collection: Collection) -> list[str]:
        roles: list[str] = self.context["roles"].get(collection.pk, [])
        return list(dict.fromkeys([ADMIN, *roles])) if self.context["request"].user.is_superuser else roles


class MemberSerializer(serializers.ModelSerializer[Membership]):
    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user.name")
    roles = strings()

    class Meta:
        model = Membership
        fields = ["username", "name", "roles", "joined_at", "left_at"]


class DocumentSerializer(serializers.ModelSerializer[Document]):
    sentences = strings()
    labels = strings()
    authors = strings()
    cites = strings()

    class Meta:
        model = Document
        fields = [
            "id",
            "docno",
            "title",
            "sentences",
            "labels",
            "labels_predicted",
            "year",
            "venue",
            "authors",
            "cites",
        ]


class QuerySerializer(serializers.ModelSerializer[Query]):
    docno = serializers.CharField(source="own_docno", help_text="Of the query paper; empty for a topic.")

    class Meta:
        model = Query
        fields = ["id", "name", "docno", "facet", "title", "description", "narrative", "paper_type", "fold"]


class RunSerializer(serializers.ModelSerializer[Run]):
    queries = serializers.IntegerField(source="ranked_queries", help_text="That it has a list for.")
    skipped = serializers.DictField()
    warnings = strings()

    class Meta:
        model = Run
        fields = ["id", "name", "kind", "depth", "queries", "skipped", "warnings", "created_at"]


class ListSerializer(Rows):
    """Best first."""

    run = serializers.CharField(source="run.name")
    query = serializers.CharField(source="query.name")
    docnos = strings()
    scores = serializers.ListField(child=serializers.FloatField())


class PoolSetSerializer(serializers.ModelSerializer[PoolSet]):
    plan = serializers.DictField()

    class Meta:
        model = PoolSet
        fields = ["id", "round", "plan", "created_at", "frozen_at"]


class ContributionSerializer(serializers.ModelSerializer[Contribution]):
    run = serializers.CharField(source="run.name")

    class Meta:
        model = Contribution
        fields = ["run", "rank", "score", "drawn"]


class CandidateSerializer(serializers.ModelSerializer[Candidate]):
    query = serializers.CharField(source="pool.query.name")
    docno = serializers.CharField(source="document.docno")
    contributions = ContributionSerializer(many=True)

    class Meta:
        model = Candidate
        fields = ["query", "position", "docno", "source", "contributions"]


class JudgeSerializer(Rows):
    name = serializers.CharField()
    judged = serializers.IntegerField()
    total = serializers.IntegerField()


class ProgressSerializer(Rows):
    id = serializers.IntegerField(source="query.pk")
    name = serializers.CharField()
    facet = serializers.CharField()
    judges = JudgeSerializer(many=True)
    pairs = serializers.IntegerField(source="total")
    cases = serializers.IntegerField()
    labelled = serializers.IntegerField()
    state = serializers.CharField()


class GivenSerializer(serializers.ModelSerializer[Slot]):
    judge = serializers.CharField(source="judge.username")
    grade = serializers.IntegerField(source="judgment.grade", allow_null=True)
    reason = serializers.CharField(source="judgment.reason")
    note = serializers.CharField(source="judgment.note")

    class Meta:
        model = Slot
        fields = ["judge", "grade", "reason", "note"]


class LabelSerializer(serializers.ModelSerializer[Pair]):
    """A pair that both judged. `label` is null for a case that waits, and where it was set aside."""

    query = serializers.CharField(source="query.name")
    docno = serializers.CharField(source="document.docno")
    label = serializers.IntegerField(source="final", allow_null=True)  # type: ignore[assignment]
    judgments = GivenSerializer(source="slots", many=True)
    adjudicator = serializers.CharField(allow_null=True)
    note = serializers.CharField(allow_null=True, help_text="Of the decision.")

    class Meta:
        model = Pair
        fields = ["query", "docno", "state", "label", "judgments", "adjudicator", "note"]


@extend_schema_serializer(many=False)
class AgreementSerializer(Rows):
    missing = serializers.CharField()
    is_current = serializers.BooleanField(help_text="No judgment or decision came since.")
    created_at = serializers.DateTimeField()
    report = serializers.DictField()


class ScoreSerializer(Rows):
    facet = serializers.CharField()
    place = serializers.IntegerField()
    system = serializers.CharField(source="name")
    figures = serializers.DictField(child=serializers.FloatField(allow_null=True))
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)


@extend_schema_serializer(many=False)
class ScoresSerializer(Rows):
    """The leaderboard. `said` is the sentence below it; `low` and `high` are the 95 % interval of the measure `by`."""

    profile = serializers.CharField()
    scope = serializers.CharField()
    split = serializers.CharField()
    by = serializers.CharField()
    said = serializers.CharField()
    systems = ScoreSerializer(many=True)


class ReleaseSerializer(serializers.ModelSerializer[Release]):
    manifest = serializers.DictField()

    class Meta:
        model = Release
        fields = ["version", "sha256", "size", "published_at", "is_public", "manifest"]


class FindingSerializer(Rows):
    check = serializers.CharField(source="check.key")
    is_fault = serializers.BooleanField()
    sentence = serializers.CharField()
    items = strings(source="first_items")
    effect = serializers.CharField(source="check.effect", help_text="Of accepting it; empty if it has to be fixed.")


class DocumentsInput(Strict):
    """A file of documents, as the page takes it."""

    file = serializers.FileField()
    skip = serializers.IntegerField(default=0, min_value=0, max_value=MOST_SKIPPED, help_text="Wrong lines to skip.")
    split = serializers.BooleanField(default=True, help_text="Split abstracts into sentences.")


class TopicsInput(Strict):
    file = serializers.FileField()
    skip = serializers.IntegerField(default=0, min_value=0, max_value=MOST_SKIPPED)


class PapersInput(Strict):
    papers = strings(help_text='"docno", "docno facet" or "docno facet 2,4-5". Without a facet: the whole abstract.')


class AddedSerializer(Rows):
    added = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    skipped = serializers.IntegerField(default=0)
    reasons = strings(default=list)


class RunInput(Strict):
    file = serializers.FileField()
    name = serializers.CharField(max_length=100)
    match_leading_zeros = serializers.BooleanField(default=False)


class JudgmentsInput(Strict):
    """CSV, as the page takes it. `query`, `docno`, `judge`, `grade`, `people` name columns: without them, a guess."""

    file = serializers.FileField()
    query = serializers.CharField(required=False)
    docno = serializers.CharField(required=False)
    judge = serializers.CharField(required=False, help_text="Whose cells are annotators' usernames, or new people.")
    grade = serializers.CharField(required=False)
    people = strings(required=False, help_text="Columns of a person each, instead of `judge` and `grade`.")
    match_leading_zeros = serializers.BooleanField(default=False)


class BuildRunsInput(Strict):
    names = strings(allow_empty=False)


class PlanInput(Strict):
    """The form of the build page."""

    strategy = serializers.ChoiceField([key for key, _ in STRATEGY_CHOICES], default="interleaved")
    n = serializers.IntegerField(min_value=1, max_value=1000)
    sources = strings(allow_empty=False, help_text="Names of runs.")
    cited = serializers.BooleanField(default=True, help_text="Begin with everything that the query paper cites.")
    depths = strings(default=list, help_text='Other n for some queries: "d1_method 33".')
    queries = strings(default=list, help_text="Only these; empty for all without a frozen pool.")
    adds = serializers.BooleanField(default=False, help_text="Add to frozen pools.")


class OpenInput(Strict):
    """With nobody named, queries are shared among all annotators."""

    queries = strings(allow_empty=False)
    first = serializers.CharField(default="", help_text="Username of an annotator.")
    second = serializers.CharField(default="")
    with_unchecked_labels = serializers.BooleanField(
        default=False, help_text="Open queries whose sentence labels were predicted and not checked, too."
    )


class AgreementQuery(Strict):
    missing = serializers.ChoiceField([EXCLUDE, ZERO], default=EXCLUDE)


class ScoresQuery(Strict):
    profile = serializers.ChoiceField([CSFCUBE, TREC, MDCR], required=False)
    scope = serializers.ChoiceField(list(SCOPES), required=False)
    split = serializers.ChoiceField([scores.TEST, scores.DEV], required=False)
    labels = serializers.ChoiceField([scores.FINAL, scores.CITATIONS], required=False)
    facet = serializers.CharField(required=False)
    by = serializers.CharField(required=False, help_text="The measure that ranks.")
    add = serializers.CharField(required=False, help_text="Further measures, with spaces between.")


class ReleaseInput(Strict):
    version = serializers.CharField(max_length=40)
    accept = serializers.DictField(child=serializers.CharField(), default=dict, help_text="Reasons by check.")
    notes = serializers.CharField(allow_blank=True, default="", max_length=5000)
    with_texts = serializers.BooleanField(default=False)
