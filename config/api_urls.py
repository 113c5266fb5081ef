"""Below `/api/v1/`. A docno, and so the name of a query, may hold slashes; what follows ends it."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path, re_path

from accounts.api import Nowhere
from agreement.api import Agreement
from annotation import api as annotation
from annotation.api_collections import Collections, OneCollection
from corpus import api as corpus
from jobs import api as jobs
from pooling import api as pooling
from pooling import import_api as pooling_imports
from release import api as release

in_collection: list[URLPattern | URLResolver] = [
    path("", OneCollection.as_view(), name="api-collection"),
    path("documents/", corpus.Documents.as_view(), name="api-documents"),
    path("documents/<path:docno>/", corpus.OneDocument.as_view(), name="api-document"),
    path("queries/", corpus.Queries.as_view(), name="api-queries"),
    path("topics/", corpus.Topics.as_view(), name="api-topics"),
    path("runs/", pooling.Runs.as_view(), name="api-runs"),
    path("runs/<str:name>/", pooling.OneRun.as_view(), name="api-run"),
    path("runs/<str:name>.txt", pooling.RunFile.as_view(), name="api-run-file"),
    path("embeddings/", pooling_imports.Embeddings.as_view(), name="api-embeddings"),
    path("pools/", pooling.Pools.as_view(), name="api-pools"),
    path("pools/<path:docno>/", pooling.OnePool.as_view(), name="api-pool"),
    path("pool-builds/", pooling.PoolBuilds.as_view(), name="api-pool-builds"),
    path(
        "pool-builds/<int:build>/manifest.json",
        pooling.Manifest.as_view(),
        name="api-pool-manifest",
    ),
    path("openings/", annotation.Openings.as_view(), name="api-openings"),
    path("judging/", annotation.Judging.as_view(), name="api-judging"),
    path("judging/<path:query>/next/", annotation.NextPair.as_view(), name="api-next"),
    path("judging/<path:query>/pairs/<str:token>/", annotation.OnePair.as_view(), name="api-pair"),
    path(
        "judging/<path:query>/pairs/<str:token>/judgment/",
        annotation.Judge.as_view(),
        name="api-judge",
    ),
    path("judgments/", annotation.Judgments.as_view(), name="api-judgments"),
    path("agreement/", Agreement.as_view(), name="api-agreement"),
    path("releases/", release.Releases.as_view(), name="api-releases"),
    path("releases/<str:version>/", release.OneRelease.as_view(), name="api-release"),
    path("releases/<str:version>/bundle.zip", release.Bundle.as_view(), name="api-bundle"),
    path("jobs/", jobs.Jobs.as_view(), name="api-jobs"),
    path("jobs/<uuid:job_id>/", jobs.OneJob.as_view(), name="api-job"),
    path("jobs/<uuid:job_id>/cancel/", jobs.CancelJob.as_view(), name="api-cancel-job"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("collections/", Collections.as_view(), name="api-collections"),
    path("collections/<slug:slug>/", include(in_collection)),
    re_path("", Nowhere.as_view(), name="api-nowhere"),
]
