"""Judging in the API. What an annotator gets is made of `Presentation`s and own judgments."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Prefetch
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import row_or_404
from accounts.api import CollectionView
from accounts.models import HIGHEST_GRADE, JUDGES, OWNERS, Collection, User
from annotation import queue
from annotation.consent.services import check_consent
from annotation.models import LONGEST_REASON, Opening, Pair, Reason, Seat
from annotation.services import Answer, check_qualified, open_queries, submit_judgment
from annotation.slot_sql import OwnSlot
from corpus.models import Query
from database.dry_run import rolled_back_if
from web.api.serializers import DryRun, RequestSerializer

# What comes in


class NewOpenings(DryRun):
    queries = serializers.ListField(
        child=serializers.CharField(max_length=240), min_length=1, help_text="Names of queries."
    )
    annotators = serializers.ListField(
        child=serializers.CharField(max_length=150),
        min_length=2,
        max_length=2,
        help_text="Usernames; the first gets slot 1 of every pair.",
    )
    unchecked_labels = serializers.BooleanField(
        default=False,
        help_text="Open although query papers have predicted labels that no person has checked.",
    )
    senior_reason = serializers.CharField(
        max_length=LONGEST_REASON,
        allow_blank=True,
        default="",
        help_text="Why a senior judges, in a collection where seniors adjudicate. It is kept.",
    )


class GradeOrReason(RequestSerializer):
    """A grade, or a reason why there is none."""

    grade = serializers.IntegerField(
        min_value=0,
        max_value=HIGHEST_GRADE,
        allow_null=True,
        default=None,
        help_text="A grade of the collection's scale, which `grades` lists.",
    )
    reason = serializers.ChoiceField(Reason.offered(), allow_blank=True, default="")
    note = serializers.CharField(max_length=4000, allow_blank=True, default="")


class JudgmentFields(GradeOrReason):
    """A grade, or a reason why there is none."""

    aspects = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=9_999),
        default=list,
        help_text="Numbers of `aspects_to_mark`, in order; only with a grade above 0.",
    )
    details_alike = serializers.BooleanField(
        default=False,
        help_text="Whether the details of the marked steps agree, too; only if the pair's "
        "`proposes_grade` is true.",
    )
    presentation_digest = serializers.CharField(
        max_length=64,
        help_text="The pair's `presentation_digest`: it proves which text you judged.",
    )
    supersedes = serializers.UUIDField(
        allow_null=True,
        help_text="The pair's `judgment_key`: the judgment that you saw; null if there was none.",
    )
    key = serializers.UUIDField(
        help_text="A new key for each judgment. The same key sent again counts once."
    )
    seconds = serializers.FloatField(
        min_value=0, max_value=24 * 3600, allow_null=True, default=None
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        answer = Answer(
            grade=attrs.pop("grade"),
            reason=attrs.pop("reason"),
            note=attrs.pop("note"),
            aspects=tuple(attrs.pop("aspects")),
            details_alike=attrs.pop("details_alike"),
        )
        return {**attrs, "answer": answer}


# What goes out


class OpeningAnswer(serializers.Serializer[Opening]):
    query = serializers.CharField(source="query.name")
    guideline_version = serializers.IntegerField(source="guideline.version")
    annotators = serializers.SerializerMethodField()
    opened_at = serializers.DateTimeField()
    labels_unchecked = serializers.BooleanField(
        allow_null=True, help_text="Whether predicted labels of the query paper were unchecked."
    )

    def get_annotators(self, opening: Opening) -> list[str]:
        return [seat.annotator.username for seat in opening.seats.all()]


class NewOpeningsAnswer(serializers.Serializer[Any]):
    openings = OpeningAnswer(many=True)
    pairs = serializers.IntegerField(help_text="Pairs of these queries. Each is judged twice.")


class QueryProgressAnswer(serializers.Serializer[queue.QueryProgress]):
    """A query of yours, with your progress."""

    query = serializers.CharField(source="name")
    facet = serializers.CharField()
    pairs = serializers.IntegerField(source="progress.total")
    judged = serializers.IntegerField(source="progress.judged")
    done = serializers.BooleanField(source="progress.finished")


class SentenceAnswer(serializers.Serializer[Any]):
    text = serializers.CharField()
    in_facet = serializers.BooleanField()


class TextAnswer(serializers.Serializer[Any]):
    title = serializers.CharField()
    sentences = SentenceAnswer(many=True)


class QueryTextAnswer(TextAnswer):
    narrative = serializers.CharField(default="", help_text="Of a topic; empty if there is none.")


class AspectAnswer(serializers.Serializer[Any]):
    """A bold sentence of the query by its number in the abstract, or a named aspect."""

    number = serializers.IntegerField()
    name = serializers.CharField(help_text="Empty for a sentence.")


class GradeAnswer(serializers.Serializer[Any]):
    grade = serializers.IntegerField()
    name = serializers.CharField()
    definition = serializers.CharField()
    detail = serializers.CharField(default="")
    example = serializers.CharField(default="")


class ShownTexts(serializers.Serializer[Any]):
    """A pair as the page shows it, and the meaning of the grades."""

    token = serializers.CharField()
    facet = serializers.SerializerMethodField()
    candidate = TextAnswer()
    instructions = serializers.SerializerMethodField()
    grades = serializers.SerializerMethodField()

    def get_facet(self, shown: object) -> str:
        return str(self.context["query"].facet.key)

    def get_instructions(self, shown: object) -> str:
        return str(self.context["query"].opening.guideline.instructions)

    @extend_schema_field(GradeAnswer(many=True))
    def get_grades(self, shown: object) -> Any:
        return GradeAnswer(self.context["query"].opening.guideline.grades, many=True).data


class PairAnswer(ShownTexts):
    """A pair as the page shows it, the meaning of the grades, and your current judgment."""

    query = QueryTextAnswer()
    presentation_digest = serializers.CharField(source="presentation")
    judgment_key = serializers.UUIDField(
        allow_null=True, help_text="Names your current judgment; null before the first."
    )
    judged = serializers.BooleanField()
    grade = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    note = serializers.CharField()
    aspects = serializers.ListField(
        child=serializers.IntegerField(), help_text="What you marked the match to be about."
    )
    aspects_to_mark = serializers.SerializerMethodField(
        help_text="What a match can be about; empty if the collection does not ask."
    )
    details_alike = serializers.BooleanField()
    proposes_grade = serializers.SerializerMethodField(
        help_text="Whether the marked aspects are steps from which a grade is proposed afterwards."
    )

    @extend_schema_field(AspectAnswer(many=True))
    def get_aspects_to_mark(self, shown: queue.ShownPair) -> Any:
        query = self.context["query"]
        aspects = queue.aspects_to_mark(query.collection, query, shown.query)
        return AspectAnswer(aspects, many=True).data

    def get_proposes_grade(self, shown: queue.ShownPair) -> bool:
        return self.context["query"].opening.proposal_steps is not None


class JudgmentAnswer(serializers.Serializer[Any]):
    """A judgment of yours; `counts` is false once you revised it."""

    query = serializers.CharField(source="query_name")
    token = serializers.CharField()
    sequence = serializers.IntegerField()
    counts = serializers.BooleanField()
    grade = serializers.IntegerField(allow_null=True)
    reason = serializers.CharField()
    note = serializers.CharField()
    aspects = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="Null if the collection did not ask.",
    )
    details_alike = serializers.BooleanField(
        allow_null=True, help_text="Null if no grade is proposed in the query."
    )
    proposed_grade = serializers.IntegerField(
        allow_null=True,
        help_text="The grade that the marked steps suggest, to a first judgment above 0. If it is "
        "another one, judge the pair again: with the same grade to keep it.",
    )
    seconds = serializers.FloatField(allow_null=True)
    presentation_digest = serializers.CharField()
    created_at = serializers.DateTimeField()


# The admin's side


def annotator_named(username: str, collection: Collection, field: str) -> User:
    """Raises ValidationError about the field if the collection has no such annotator."""
    rows = collection.memberships.filter(role__in=JUDGES, user__username=username)
    member = rows.select_related("user").first()
    if member is None:
        raise ValidationError({field: [f"No annotator {username!r} in this collection."]})
    return member.user


class Openings(CollectionView):
    roles = OWNERS

    @extend_schema(summary="Queries open for judging", responses=OpeningAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        seats = Prefetch("seats", Seat.objects.select_related("annotator"))
        rows = Opening.objects.of(self.collection).select_related("query", "guideline")
        return self.paged(rows.prefetch_related(seats), OpeningAnswer)

    @extend_schema(
        summary="Open queries for judging by two annotators",
        description="All of them or none. Their pools are frozen. With `dry_run`, 200 with the "
        "openings that would be made, or the error of the first query that cannot be opened.",
        request=NewOpenings,
        responses={200: NewOpeningsAnswer, 201: NewOpeningsAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        body = self.parsed(NewOpenings)
        first, second = (
            annotator_named(name, self.collection, "annotators") for name in body["annotators"]
        )
        with rolled_back_if(body["dry_run"]):
            openings = open_queries(
                queries=[self._query(name) for name in dict.fromkeys(body["queries"])],
                annotators=(first, second),
                opened_by=self.person,
                unchecked_labels=body["unchecked_labels"],
                senior_reason=body["senior_reason"],
            )
            pairs = Pair.objects.filter(query__opening__in=openings).count()
            answer = NewOpeningsAnswer({"openings": openings, "pairs": pairs}).data
        return Response(answer, status=200 if body["dry_run"] else 201)

    def _query(self, name: str) -> Query:
        query = self.collection.queries.filter(name=name).first()
        if query is None:
            raise ValidationError(
                {"queries": [f"No query {name!r} in this collection. Add it first."]}
            )
        return query


# The annotator's side


class JudgingView(CollectionView):
    """A view of what the annotator has slots in; nothing else exists for it."""

    roles: ClassVar[tuple[str, ...]] = JUDGES

    def my_query(self, name: str) -> Query:
        check_consent(self.collection, self.person)
        check_qualified(self.collection, self.person)
        return row_or_404(queue.own_query(self.collection, self.person, name))

    def my_slot(self, name: str, token: str) -> OwnSlot:
        return row_or_404(queue.own_slot(self.collection.slug, self.person, name, token))

    def shown(self, query: Query, token: str) -> Response:
        pair = row_or_404(queue.shown_pair(query, self.person, token) if token.isalnum() else None)
        return Response(PairAnswer(pair, context={"query": query}).data)


class OwnQueries(JudgingView):
    @extend_schema(
        summary="Your queries with your progress", responses=QueryProgressAnswer(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        check_consent(self.collection, self.person)
        check_qualified(self.collection, self.person)
        pace = queue.pace(self.collection, self.person)
        own_queries = queue.own_queries(self.collection, self.person, pace)
        return self.paged(own_queries, QueryProgressAnswer)


class NextPair(JudgingView):
    @extend_schema(
        summary="The next pair to judge",
        description="204 when you have judged every pair of the query.",
        responses={200: PairAnswer, 204: None},
    )
    def get(self, request: Request, slug: str, query: str) -> Response:
        own_query = self.my_query(query)
        token = queue.next_token(own_query.pk, self.person)
        return Response(status=204) if token is None else self.shown(own_query, token)


class PairDetail(JudgingView):
    @extend_schema(summary="One of your pairs", responses=PairAnswer)
    def get(self, request: Request, slug: str, query: str, token: str) -> Response:
        return self.shown(self.my_query(query), token)


class SubmitJudgment(JudgingView):
    @extend_schema(
        summary="Judge a pair, or revise your judgment",
        description="201 when it is saved, 200 when the same key brings the same judgment again. "
        "409 with `wrong_presentation` or `revised_meanwhile`: get the pair again and look. "
        "409 with `key_reused`: the key came with another answer before.",
        request=JudgmentFields,
        responses={200: JudgmentAnswer, 201: JudgmentAnswer},
    )
    def post(self, request: Request, slug: str, query: str, token: str) -> Response:
        slot = self.my_slot(query, token)
        body = self.parsed(JudgmentFields)
        own = slot.rows.model.objects.filter(**{slot.rows.owner: slot.pk})
        is_repeated = own.filter(key=body["key"]).exists()
        judgment = submit_judgment(slot_id=slot.pk, annotator=self.person, rows=slot.rows, **body)
        return Response(
            JudgmentAnswer(queue.listed(own).get(pk=judgment.pk)).data,
            status=200 if is_repeated else 201,
        )


class Judgments(JudgingView):
    @extend_schema(summary="Your judgments, the latest first", responses=JudgmentAnswer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(queue.all_judgments(self.collection, self.person), JudgmentAnswer)
