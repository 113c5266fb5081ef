"""Guidelines in the API: read the versions of a facet's guideline, and write the next one."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import roles_in
from accounts.api import CollectionView
from accounts.models import JUDGES, OWNERS, Collection, Role
from annotation.api import GradeAnswer
from annotation.guidelines.changes import apply_guideline
from annotation.guidelines.forms import LONGEST_DEFINITION, LONGEST_GRADE_NAME
from annotation.guidelines.readings import record_reading
from annotation.guidelines.versions import versions_to_read
from annotation.help_requests.services import write_example
from annotation.models import LONGEST_REASON, Guideline, HelpRequest
from annotation.services import write_guideline
from annotation.team import AT_ONCE
from corpus.models import Facet
from database.dry_run import rolled_back_if
from web.api.serializers import DryRun, RequestSerializer, found

LONGEST_TEXT = 20_000
HIGHEST_VERSION = 32_767
HIGHEST_ID = 2**63 - 1


class GradeText(RequestSerializer):
    """The name and the definition of a grade under the facet."""

    grade = serializers.IntegerField(min_value=0, max_value=9)
    name = serializers.CharField(max_length=LONGEST_GRADE_NAME)
    definition = serializers.CharField(
        max_length=LONGEST_DEFINITION, help_text="In one line: annotators read it on the button."
    )
    detail = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)
    example = serializers.CharField(max_length=LONGEST_TEXT, default="", allow_blank=True)


class NewGuideline(DryRun):
    based_on = serializers.IntegerField(
        min_value=0,
        max_value=HIGHEST_VERSION,
        help_text="The newest version that you have read, or 0 if there is none.",
    )
    instructions = serializers.CharField(max_length=LONGEST_TEXT)
    grades = GradeText(many=True, help_text="One entry for each grade of the scale, 0 first.")
    help_request = serializers.IntegerField(
        min_value=1,
        max_value=HIGHEST_ID,
        allow_null=True,
        default=None,
        help_text="For admins: the id of the answered help request that the version is made from.",
    )


class NewGuidelineChange(DryRun):
    queries = serializers.ListField(
        child=serializers.CharField(max_length=240),
        min_length=1,
        max_length=AT_ONCE,
        help_text="Names of open queries of the facet.",
    )
    reason = serializers.CharField(
        max_length=LONGEST_REASON, help_text="A release publishes it. No judge is shown it."
    )
    judge_again = serializers.BooleanField(default=False)


class AppliedGuideline(serializers.Serializer[Any]):
    version = serializers.IntegerField()
    queries = serializers.ListField(child=serializers.CharField())


class GuidelineAnswer(serializers.Serializer[Guideline]):
    facet = serializers.CharField(source="facet.slug")
    version = serializers.IntegerField()
    instructions = serializers.CharField()
    grades = GradeAnswer(many=True)
    created_at = serializers.DateTimeField()


class VersionParameters(RequestSerializer):
    version = serializers.IntegerField(
        min_value=1, max_value=HIGHEST_VERSION, required=False, help_text="Default: the newest."
    )


class Guidelines(CollectionView):
    roles = OWNERS

    @extend_schema(
        summary="Guidelines, every version by facet, newest first",
        responses=GuidelineAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        rows = Guideline.objects.filter(facet__collection=self.collection)
        return self.paged(rows.select_related("facet"), GuidelineAnswer)


class GuidelineDetail(CollectionView):
    roles = OWNERS

    @extend_schema(
        summary="The guideline of a facet",
        parameters=[VersionParameters],
        responses=GuidelineAnswer,
    )
    def get(self, request: Request, slug: str, facet: str) -> Response:
        wanted = self.parameters(VersionParameters).validated_data
        return Response(GuidelineAnswer(found(self._facet(facet).guidelines.all(), **wanted)).data)

    @extend_schema(
        summary="Write the next version of a guideline",
        description="A version stays as it is, so this cannot be undone. Queries that you open "
        "from now on use it; those that are open keep theirs. 409 with `guideline_changed` if "
        "`based_on` is not the newest version. Written from a help request, also with "
        "`undecided_example` or `names_secrets`. With `dry_run`, 200 with the version that would "
        "be written.",
        request=NewGuideline,
        responses={200: GuidelineAnswer, 201: GuidelineAnswer},
    )
    def post(self, request: Request, slug: str, facet: str) -> Response:
        row = self._facet(facet)
        asked = self.parsed(NewGuideline)
        is_tried, number = asked.pop("dry_run"), asked.pop("help_request")
        with rolled_back_if(is_tried):
            if number is None:
                guideline = write_guideline(facet=row, **asked)
            else:
                guideline = write_example(
                    request=self._help_request(row, number), written_by=self.person, **asked
                )
        return Response(GuidelineAnswer(guideline).data, status=200 if is_tried else 201)

    def _help_request(self, facet: Facet, number: int) -> HelpRequest:
        """Only admins read help requests."""
        is_admin = Role.ADMIN in roles_in(self.collection, self.person)
        rows = facet.help_requests.answered().select_related(
            "facet__collection", "pair__candidate__document"
        )
        return found(rows if is_admin else rows.none(), pk=number)

    def _facet(self, slug: str) -> Facet:
        return facet_named(self.collection, slug)


def facet_named(collection: Collection, slug: str) -> Facet:
    facets = {each.slug: each.pk for each in collection.facets.all()}
    return found(collection.facets.all(), pk=facets.get(slug))


class ApplyGuideline(CollectionView):
    roles = OWNERS

    @extend_schema(
        summary="Apply the newest version to open queries",
        description="With `judge_again` it begins another round: all pairs of the queries are "
        "judged again by their two judges, and the earlier judgments and decisions count no "
        "longer. Without it, judgments keep the version that they were made under. All queries or "
        "none, up to 50 in one request. 409 with `cannot_apply` names the query that cannot "
        "have it. With `dry_run`, nothing changes.",
        request=NewGuidelineChange,
        responses={200: AppliedGuideline},
    )
    def post(self, request: Request, slug: str, facet: str) -> Response:
        guideline = found(facet_named(self.collection, facet).guidelines.all())
        asked = self.parsed(NewGuidelineChange)
        queries = list(dict.fromkeys(asked["queries"]))
        with rolled_back_if(asked["dry_run"]):
            apply_guideline(
                collection=self.collection,
                queries=queries,
                guideline=guideline,
                reason=asked["reason"],
                judge_again=asked["judge_again"],
                made_by=self.person,
            )
        return Response(AppliedGuideline({"version": guideline.version, "queries": queries}).data)


class GuidelineReadings(CollectionView):
    roles = JUDGES

    @extend_schema(
        summary="Read the guideline of a facet, and confirm it",
        description="The answer is the text of the version that open queries are judged by. "
        "Judging by a later version than the first is refused with `unread_guideline` until you "
        "confirm it.",
        request=VersionParameters,
        responses=GuidelineAnswer,
    )
    def post(self, request: Request, slug: str, facet: str) -> Response:
        versions = versions_to_read(facet_named(self.collection, facet))
        guideline = found(versions, **self.parsed(VersionParameters))
        record_reading(guideline, self.person)
        return Response(GuidelineAnswer(guideline).data)
