"""All URLs. Each app has its own URLs below `/c/<slug>/`, for the pages of a collection."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from accounts.actions.views import record, server_record
from accounts.invitations.views import invitation
from accounts.languages import choose_language
from accounts.personal_data.privacy import privacy
from annotation.deadlines.views import deadlines
from dashboard import table_columns, views
from dashboard.help import views as help_views
from demo.views import parts
from release import urls as release_urls

collection_routes: list[URLPattern | URLResolver] = [
    path("", include("dashboard.urls")),
    path("", include("corpus.urls")),
    path("", include("curation.urls")),
    path("runs/", include("retrieval.urls")),
    path("", include("evaluation.urls")),
    path("", include("scoring.urls")),
    path("", include("planning.urls")),
    path("", include("pooling.urls")),
    path("judge/", include("annotation.urls")),
    path("", include("annotation.consent.urls")),
    path("", include("annotation.guidelines.urls")),
    path("", include("annotation.help_requests.urls")),
    path("deadlines/", deadlines, name="deadlines"),
    path("adjudicate/", include("adjudication.urls")),
    path("blind-ratings/", include("adjudication.blind.urls")),
    path("judgments/", include("adjudication.judgment_import.urls")),
    path("referrals/", include("adjudication.referrals.urls")),
    path("pilots/", include("practice.urls")),
    path("practice/", include("practice.judging_urls")),
    path("training/", include("practice.training.urls")),
    path("questions/", include("adjudication.questions.urls")),
    path("studies/", include("studies.urls")),
    path("full-text/", include("studies.rating_urls")),
    path("agreement/", include("agreement.urls")),
    path("samples/", include("agreement.sample_urls")),
    path("releases/", include("release.urls")),
    path("label-samples/", include("release.label_samples.urls")),
    path("", include(release_urls.moved)),
    path("jobs/", include("jobs.urls")),
    path("record/", record, name="record"),
]

handler400 = "web.requests.refusals.bad_request"
handler403 = "web.requests.refusals.not_allowed"
handler404 = "web.requests.refusals.not_found"
handler500 = "web.requests.refusals.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.home, name="home"),
    path("collections/", views.my_collections, name="my-collections"),
    path("help/", help_views.help_page, name="help-index"),
    path("help/pictures/<str:picture>.png", help_views.help_picture, name="help-picture"),
    path("help/<path:page>/", help_views.help_page, name="help"),
    path("columns/<str:table>/", table_columns.choose_columns, name="choose-columns"),
    path("accounts/", include("accounts.login.urls")),
    path("account/about/", include("release.datasheets.profile_urls")),
    path("account/", include("accounts.urls")),
    path("notices/", include("notices.urls")),
    path("invitations/<str:link_token>/", invitation, name="invitation"),
    path("mails/", include("accounts.mail.urls")),
    path("privacy/", privacy, name="privacy"),
    path("personal-data/", include("accounts.personal_data.urls")),
    path("record/", server_record, name="server-record"),
    path("language/", choose_language, name="choose-language"),
    path("parts/", parts, name="parts"),
    path("server/", include("server.urls")),
    path("collections/sample/", views.new_sample_collection, name="new-sample-collection"),
    path("collections/new/", views.new_collection, name="new-collection"),
    path("releases/", include("publishing.urls")),
    path("c/<slug:slug>/", include(collection_routes)),
    path("api/v1/", include("config.api_urls")),
    path("api/schema/", views.api_schema, name="api-schema"),
    path("api/docs/", views.api_docs, name="api-docs"),
]
