"""What an admin's scripts do: read a collection, upload, build, open, compute, score, publish.

Each act calls the service or form of its page, which says what is allowed; here are only addresses.
"""

from __future__ import annotations

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db.models import Prefetch
from django.shortcuts import get_object_or_404
from django.utils.datastructures import MultiValueDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.filters import SearchFilter
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from accounts.access import membership_or_404
from accounts.models import ADMIN, Collection, User
from adjudication.labels import labels_state
from adjudication.views import with_judgments
from annotation import importing, openings
from annotation.models import Pair, Slot
from api import serializers as api
from api.base import InCollection, JobSerializer, Pages, accepted, given
from corpus import queries
from corpus.forms import UploadForm
from corpus.uploads import find_upload, keep_upload
from dashboard import progress
from evaluation import scores
from evaluation.views import asked_labels, scored
from jobs import work
from jobs.models import Report
from pooling import building
from pooling.forms import BuildForm
from pooling.models import Candidate, Contribution, PoolSet
from pooling.views import manifest as manifest_page
from release import gate, publishing
from release.public_views import file_response
from retrieval.models import RankedList
from retrieval.retrievers import find_retriever
from retrieval.run_files import import_run
from web.errors import BadInput, NotFound
from web.forms import cleaned
from web.tables import MOST_LETTERS, MOST_WORDS

JOB = {202: JobSerializer}
MULTIPART = "multipart/form-data"


class CollectionViewSet(ReadOnlyModelViewSet[Collection]):
    """The collections that you are in."""

    lookup_field = "slug"
    lookup_value_converter = "slug"
    pagination_class = Pages
    serializer_class = api.CollectionSerializer

    def get_queryset(self) -> Any:
        return Collection.objects.visible_to(self.request.user)  # type: ignore[arg-type]

    def get_object(self) -> Collection:
        return membership_or_404(self.request.user, self.kwargs["slug"]).collection  # type: ignore[arg-type]

    def get_serializer_context(self) -> Any:
        context = super().get_serializer_context()
        user: Any = self.request.user
        if not user.is_authenticated:  # while the schema is written
            return context
        return {**context, "roles": {each.collection_id: each.roles for each in user.memberships.active()}}


class AdminViewSet(InCollection):
    roles = (ADMIN,)


class MemberViewSet(ListModelMixin, AdminViewSet):
    """Who is in the collection, and who left."""

    serializer_class = api.MemberSerializer

    def get_queryset(self) -> Any:
        return self.collection.memberships.select_related("user").order_by("user__username")


class Search(SearchFilter):
    """By as many words as a search on a page takes."""

    def get_search_terms(self, request: Any) -> list[str]:
        return [word[:MOST_LETTERS] for word in super().get_search_terms(request)][:MOST_WORDS]


class DocumentViewSet(ListModelMixin, RetrieveModelMixin, AdminViewSet):
    serializer_class = api.DocumentSerializer
    filter_backends = [Search]
    search_fields = ["docno", "title"]
    parser_classes = [MultiPartParser]

    def get_queryset(self) -> Any:
        return self.collection.documents.defer("extra").order_by("pk")

    @extend_schema(request={MULTIPART: api.DocumentsInput}, responses=JOB)
    def create(self, request: Any, slug: str) -> Response:
        """Upload a file of documents. The job imports it."""
        options = given(api.DocumentsInput, request.data)
        path = uploaded(self.collection, options.pop("file"))
        job = work.start_once("import_documents", collection=self.collection, by=request.user, files=[path], **options)
        return accepted(job)


def uploaded(collection: Collection, file: UploadedFile[Any]) -> str:
    """Where the file is kept, if it is not too large."""
    form = UploadForm({}, MultiValueDict({"file": [file]}))
    return find_upload(collection, keep_upload(collection, cleaned(form)["file"]))


class QueryViewSet(ListModelMixin, RetrieveModelMixin, AdminViewSet):
    serializer_class = api.QuerySerializer

    def get_queryset(self) -> Any:
        return self.collection.queries.select_related("document").defer("document__cites").order_by("name")

    @extend_schema(request=api.PapersInput, responses=api.AddedSerializer)
    def create(self, request: Any, slug: str) -> Response:
        """Make documents query papers: all of them or none."""
        lines = "\n".join(given(api.PapersInput, request.data)["papers"])
        wanted = queries.parse_wanted(lines, collection=self.collection, facets=[""])
        added, unchanged = queries.add_query_papers(collection=self.collection, wanted=wanted)
        return Response(api.AddedSerializer({"added": added, "unchanged": unchanged}).data)

    @extend_schema(request={MULTIPART: api.TopicsInput}, responses=api.AddedSerializer)
    @action(detail=False, methods=["post"], parser_classes=[MultiPartParser])
    def topics(self, request: Any, slug: str) -> Response:
        """Upload a file of topics. Each becomes a query."""
        options = given(api.TopicsInput, request.data)
        path = uploaded(self.collection, options["file"])
        result = queries.import_topics(collection=self.collection, path=path, skip=options["skip"])
        return Response(api.AddedSerializer(result).data)


class RunViewSet(ListModelMixin, RetrieveModelMixin, AdminViewSet):
    serializer_class = api.RunSerializer
    parser_classes = [MultiPartParser]

    def get_queryset(self) -> Any:
        return self.collection.runs.with_sizes().order_by("name")

    @extend_schema(request={MULTIPART: api.RunInput}, responses={201: api.RunSerializer})
    def create(self, request: Any, slug: str) -> Response:
        """Upload a run in TREC's six columns."""
        values = given(api.RunInput, request.data)
        run = import_run(collection=self.collection, filename=values["file"].name, **values)
        return Response(self.get_serializer(self.get_queryset().get(pk=run.pk)).data, status=201)

    @extend_schema(request=api.BuildRunsInput, responses=JOB)
    @action(detail=False, methods=["post"], parser_classes=InCollection.parser_classes)
    def build(self, request: Any, slug: str) -> Response:
        """Rank all documents for all queries by built-in retrievers, such as bm25."""
        names = given(api.BuildRunsInput, request.data)["names"]
        for name in names:
            find_retriever(name)
        return accepted(work.start_once("build_runs", collection=self.collection, by=request.user, names=names))

    @extend_schema(responses=api.ListSerializer(many=True))
    @action(detail=True)
    def lists(self, request: Any, slug: str, pk: int) -> Response:
        """The run's list of each query."""
        run = get_object_or_404(self.collection.runs, pk=pk)
        rows = RankedList.objects.filter(run=run).select_related("run", "query").order_by("query__name")
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(api.ListSerializer(page, many=True).data)


class PoolSetViewSet(ListModelMixin, RetrieveModelMixin, AdminViewSet):
    """Builds of pools: at most one draft, and frozen ones."""

    serializer_class = api.PoolSetSerializer

    def get_queryset(self) -> Any:
        return PoolSet.objects.filter(collection=self.collection).order_by("pk")

    @extend_schema(request=api.PlanInput, responses=JOB)
    def create(self, request: Any, slug: str) -> Response:
        """Draw pools. They replace the draft."""
        plan = given(api.PlanInput, request.data)
        lines = plan | {key: "\n".join(plan[key]) for key in ("depths", "queries")}
        form = BuildForm(lines, collection=self.collection, plan={}, adds=plan["adds"])
        cleaned(form)
        return accepted(building.start_building(collection=self.collection, plan=form.plan, by=request.user))

    @extend_schema(request=None, responses=api.PoolSetSerializer)
    @action(detail=True, methods=["post"])
    def freeze(self, request: Any, slug: str, pk: int) -> Response:
        """Fix the draft for good, so that its queries can be opened."""
        return Response(self.get_serializer(building.freeze_pools(collection=self.collection, pk=pk)).data)

    @extend_schema(responses=OpenApiTypes.OBJECT)
    @action(detail=True)
    def manifest(self, request: Any, slug: str, pk: int) -> Any:
        """What draws the frozen pools again."""
        return manifest_page(request._request, slug, pk=pk)

    @extend_schema(responses=api.CandidateSerializer(many=True))
    @action(detail=True)
    def candidates(self, request: Any, slug: str, pk: int) -> Response:
        """By query in the order they were drawn, with the rank and score that each run gives them."""
        pool_set = get_object_or_404(self.get_queryset(), pk=pk)
        contributions = Prefetch("contributions", Contribution.objects.select_related("run").order_by("run__name"))
        rows = Candidate.objects.filter(pool__pool_set=pool_set).select_related("pool__query", "document")
        rows = rows.only("position", "source", "pool__query__name", "document__docno").prefetch_related(contributions)
        page = self.paginate_queryset(rows.order_by("pool__query__name", "position"))
        return self.get_paginated_response(api.CandidateSerializer(page, many=True).data)


class OpeningViewSet(AdminViewSet):
    """The queries that annotators have, and how far each is."""

    serializer_class = api.ProgressSerializer

    def list(self, request: Any, slug: str) -> Response:
        return self.listed(progress.by_query(self.collection, progress.slot_counts(self.collection)))

    @extend_schema(request=api.OpenInput, responses=api.ProgressSerializer(many=True))
    def create(self, request: Any, slug: str) -> Response:
        """Give queries with frozen pools to two annotators each."""
        values = given(api.OpenInput, request.data)
        found = list(self.collection.queries.filter(name__in=values["queries"]))
        if unknown := sorted(set(values["queries"]) - {query.name for query in found}):
            raise BadInput(f"{self.collection} has no query {unknown[0]!r}.")
        couple = None
        if values["first"] or values["second"]:
            couple = (self._annotator(values["first"]), self._annotator(values["second"]))
        about = {"couple": couple, "by": request.user, "with_unchecked_labels": values["with_unchecked_labels"]}
        openings.give_queries(collection=self.collection, queries=found, **about)
        return self.list(request, slug)

    def _annotator(self, username: str) -> User:
        found = self.collection.memberships.judging().filter(user__username=username).first()
        if found is None:
            raise BadInput(f"{self.collection} has no annotator {username!r}. Name two, or nobody.")
        return found.user


class LabelViewSet(ListModelMixin, AdminViewSet):
    """The pairs that both their judges have judged, with both judgments and the label."""

    serializer_class = api.LabelSerializer

    def get_queryset(self) -> Any:
        slots = Prefetch("slots", Slot.objects.select_related("judge", "judgment").order_by("number"))
        pairs = with_judgments(Pair.objects.of(self.collection).judged()).select_related("query", "document")
        return pairs.prefetch_related(slots).order_by("query__name", "document__docno")

    @extend_schema(request={MULTIPART: api.JudgmentsInput}, responses=JOB)
    @action(detail=False, methods=["post"], parser_classes=[MultiPartParser])
    def judgments(self, request: Any, slug: str) -> Response:
        """Upload judgments of two people as CSV. The job imports all of them or none."""
        chosen = given(api.JudgmentsInput, request.data)
        path, people = uploaded(self.collection, chosen.pop("file")), chosen.pop("people", None)
        zeros = chosen.pop("match_leading_zeros")
        header, _ = importing.read_table(path)
        columns = importing.choose_columns(header, chosen, people)
        about = {"path": path, "columns": columns, "people": {}, "match_leading_zeros": zeros}
        return accepted(work.start_once(importing.KIND, collection=self.collection, by=request.user, **about))


class AgreementViewSet(AdminViewSet):
    serializer_class = api.AgreementSerializer

    @extend_schema(parameters=[api.AgreementQuery])
    def list(self, request: Any, slug: str) -> Response:
        """The last report, as its page has it."""
        missing = given(api.AgreementQuery, request.query_params)["missing"]
        report = Report.objects.find(self.collection, "agreement", missing=missing)
        if report is None:
            raise NotFound("Agreement is not computed yet. POST to this address.")
        is_current = report.labels == labels_state(self.collection)
        row = {"missing": missing, "is_current": is_current, "created_at": report.created_at, "report": report.data}
        return Response(self.get_serializer(row).data)

    @extend_schema(request=None, responses=JOB)
    def create(self, request: Any, slug: str) -> Response:
        return accepted(work.start_once("compute_agreement", collection=self.collection, by=request.user))


class ScoreViewSet(AdminViewSet):
    serializer_class = api.ScoresSerializer

    @extend_schema(parameters=[api.ScoresQuery], responses={200: api.ScoresSerializer} | JOB)
    def list(self, request: Any, slug: str) -> Response:
        """The leaderboard, or the job that scores it first where that takes long: then ask again."""
        asked = given(api.ScoresQuery, request.query_params)
        (labels, choice), runs = asked_labels(request, self.collection), scores.systems_of(self.collection)
        used = {"profile": choice.profile.name, "scope": choice.profile.scope, "by": choice.by}
        for key, value in (used | {"facet": choice.facet, "split": choice.split}).items():
            if asked.get(key, value) not in ("", value):
                raise BadInput(f"{key}: there is no {asked[key]!r} here.")
        tables = scored(request, self.collection, runs, choice) if runs and labels else {}
        if not isinstance(tables, dict):
            return accepted(tables)
        facets = [choice.facet] if choice.facet else choice.facets
        about: dict[str, Any] = {"facets": facets, "split": choice.split, "seed": self.collection.seed}
        board = scores.leaderboard(runs, tables, choice.queries, choice.profile, **about) if tables else []
        said = " ".join([choice.said, *(each.said for each in choice.qrels)])
        row = {"profile": choice.profile.name, "scope": choice.profile.scope, "split": choice.split, "by": choice.by}
        return Response(self.get_serializer(row | {"said": said, "systems": board}).data)


class ReleaseViewSet(ListModelMixin, RetrieveModelMixin, AdminViewSet):
    serializer_class = api.ReleaseSerializer
    lookup_field = "version"
    lookup_value_converter = "str"

    def get_queryset(self) -> Any:
        return self.collection.releases.order_by("-pk")

    @extend_schema(request=api.ReleaseInput, responses=JOB)
    def create(self, request: Any, slug: str) -> Response:
        """Publish a version. Every fault among the checks needs a reason in `accept`."""
        values = given(api.ReleaseInput, request.data)
        return accepted(publishing.request_release(collection=self.collection, by=request.user, **values))

    @extend_schema(responses=api.FindingSerializer(many=True))
    @action(detail=False, pagination_class=None)
    def checks(self, request: Any, slug: str) -> Response:
        """What the checks before publishing find now."""
        return Response(api.FindingSerializer(gate.findings(self.collection), many=True).data)

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    @action(detail=True)
    def download(self, request: Any, slug: str, version: str) -> Any:
        return file_response(request._request, self.get_object())


class JobViewSet(ListModelMixin, RetrieveModelMixin, AdminViewSet):
    """Long work, the newest first."""

    serializer_class = JobSerializer
    lookup_value_converter = "uuid"

    def get_queryset(self) -> Any:
        return self.collection.jobs.select_related("requested_by").order_by("-created_at")

    @extend_schema(request=None, responses=JobSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Any, slug: str, pk: str) -> Response:
        """A waiting job ends at once, a running one at its next step."""
        work.cancel(self.get_object())
        return Response(self.get_serializer(self.get_object()).data)
