"""URLs below `/api/v1/`. A docno or a query name may contain slashes, so a suffix ends it."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path, re_path

from accounts.api import UnknownAddress
from adjudication import api as adjudication
from adjudication.judgment_api import JudgmentImports
from agreement.api import Agreement
from annotation import api as annotation
from annotation.api_collections import CollectionDetail, CollectionFacets, Collections
from corpus import api as corpus
from dashboard.api import CollectionArchive
from jobs import api as jobs
from pooling import api as pooling
from release import api as release
from retrieval import api as retrieval

collection_routes: list[URLPattern | URLResolver] = [
    path("", CollectionDetail.as_view(), name="api-collection"),
    path("archive/", CollectionArchive.as_view(), name="api-archive"),
    path("facets/", CollectionFacets.as_view(), name="api-facets"),
    path("documents/", corpus.Documents.as_view(), name="api-documents"),
    path("documents/<path:docno>/", corpus.DocumentDetail.as_view(), name="api-document"),
    path("queries/", corpus.Queries.as_view(), name="api-queries"),
    path("topics/", corpus.Topics.as_view(), name="api-topics"),
    path("runs/", retrieval.Runs.as_view(), name="api-runs"),
    path("runs/<str:name>/", retrieval.RunDetail.as_view(), name="api-run"),
    path("runs/<str:name>.txt", retrieval.RunFile.as_view(), name="api-run-file"),
    path("embeddings/", retrieval.Embeddings.as_view(), name="api-embeddings"),
    path("pools/", pooling.Pools.as_view(), name="api-pools"),
    path("pools/<path:docno>/", pooling.PoolDetail.as_view(), name="api-pool"),
    path("pool-builds/", pooling.PoolBuilds.as_view(), name="api-pool-builds"),
    path(
        "pool-builds/<int:build>/manifest.json",
        pooling.Manifest.as_view(),
        name="api-pool-manifest",
    ),
    path("openings/", annotation.Openings.as_view(), name="api-openings"),
    path("judging/", annotation.OwnQueries.as_view(), name="api-judging"),
    path("judging/<path:query>/next/", annotation.NextPair.as_view(), name="api-next"),
    path(
        "judging/<path:query>/pairs/<str:token>/", annotation.PairDetail.as_view(), name="api-pair"
    ),
    path(
        "judging/<path:query>/pairs/<str:token>/judgment/",
        annotation.SubmitJudgment.as_view(),
        name="api-judge",
    ),
    path("judgments/", annotation.Judgments.as_view(), name="api-judgments"),
    path("cases/", adjudication.Cases.as_view(), name="api-cases"),
    path(
        "cases/<path:query>/pairs/<str:token>/", adjudication.CaseDetail.as_view(), name="api-case"
    ),
    path(
        "cases/<path:query>/pairs/<str:token>/decision/",
        adjudication.Decide.as_view(),
        name="api-decide",
    ),
    path("decisions/", adjudication.Decisions.as_view(), name="api-decisions"),
    path("judgment-imports/", JudgmentImports.as_view(), name="api-judgment-imports"),
    path("agreement/", Agreement.as_view(), name="api-agreement"),
    path("releases/", release.Releases.as_view(), name="api-releases"),
    path("releases/<str:version>/", release.ReleaseDetail.as_view(), name="api-release"),
    path("releases/<str:version>/bundle.zip", release.Bundle.as_view(), name="api-bundle"),
    path("jobs/", jobs.Jobs.as_view(), name="api-jobs"),
    path("jobs/<uuid:job_id>/", jobs.JobDetail.as_view(), name="api-job"),
    path("jobs/<uuid:job_id>/cancel/", jobs.CancelJob.as_view(), name="api-cancel-job"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("collections/", Collections.as_view(), name="api-collections"),
    path("collections/<slug:slug>/", include(collection_routes)),
    re_path("", UnknownAddress.as_view(), name="api-nowhere"),
]
