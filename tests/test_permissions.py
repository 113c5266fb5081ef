"""Who has which page and which address of the API: one table, and every cell of it.

To a person without the role an address does not exist, whatever the method: 404. To a person with
the role, a method that the address does not have is 405. Without a login, pages lead to the login
page and the API answers 401.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.socialaccount.models import SocialAccount
from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.http import HttpResponseNotFound
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from accounts.actions.models import RecordedAction
from accounts.invitations.addresses import Invitee
from accounts.invitations.services import store_invitation
from accounts.models import Collection, Role, User
from accounts.password_links import password_link
from annotation.models import Slot
from annotation.services import open_query
from config import urls
from corpus.services import create_query
from jobs.models import State
from notices.choices import stop_token
from release.publicity import make_public
from tests.support.api_world import SHADOW_JUDGE, World, another_collection, token_of
from tests.support.crawling import filled, patterns
from tests.support.factories import (
    DocumentFactory,
    UserFactory,
    a_query,
    a_topic,
    an_open_query,
    member,
)
from tests.support.help_scenes import answer as answer_help
from tests.support.help_scenes import ask_admin
from tests.support.label_samples import a_row_of_a_sample
from tests.support.practice_scenes import a_pilot
from tests.support.rounds import top_up
from tests.support.sittings import ask as ask_about
from tests.support.sittings import judge_both
from tests.support.training_scenes import train_with

# Roles and methods are checked in Python, so once is enough.
pytestmark = pytest.mark.one_database

HERE = ("admin", "annotator", "adjudicator", "curator", "owner-annotator")
# Each of those above holds the other roles in the second collection, too.
# These two hold every role in the second collection; an annotator is never an admin.
ELSEWHERE = ("far-admin", "far-annotator")
ACCOUNTS = (*HERE, *ELSEWHERE, "outsider", "staff")
ANONYMOUS = "anonymous"
EVERYBODY = (*ACCOUNTS, ANONYMOUS)
USERNAMES = {"annotator": "ann1", "adjudicator": "adju", "owner-annotator": "owner"}

ADMIN, ANNOTATOR, ADJUDICATOR, CURATOR, OWNER = HERE
METHODS = ("get", "post", "put", "patch", "delete")
# Without a login. PUT and PATCH come to the same check as DELETE.
REFUSED_METHODS = ("get", "post", "delete")
GET, POST, BOTH = ("get",), ("post",), ("get", "post")
FORM_VIEW = ("get", "post", "put")  # Django's own form views take PUT as POST
NARROW_SCOPES = ("read", "judge")
FOR_EVERY_SCOPE = {  # to read
    *("api-root", "api-schema", "api-collections", "api-notices", "api-own-data"),
}
FOR_ADMIN_SCOPE = {"api-export-own-data"}  # has all that the person may see
OF_ONE_SELF = {"api-notices"}  # every person changes the own choice
# They exist with a provider in the settings only, and then for everybody.
WITHOUT_PROVIDER = (
    *("institution-login", "openid_connect_callback"),
    *("saml_acs", "saml_finish_acs", "saml_metadata", "saml_sls"),
)
NOTHING_HERE = {"detail": "Not found.", "code": "not_found"}


class Address(NamedTuple):
    name: str
    people: tuple[str, ...]
    methods: tuple[str, ...]
    refusal: int = 404  # what everybody else with an account gets
    posting: tuple[str, ...] = ACCOUNTS  # who of the people may also write
    reading: tuple[str, ...] = ACCOUNTS  # who of the people may also read

    def refuses(self, method: str) -> int:
        # An address that says 403 does not hide that it exists.
        return self.refusal if self.refusal != 403 or method in self.methods else 405


ADDRESSES = [
    # Every account
    Address("home", ACCOUNTS, GET),
    Address("my-collections", ACCOUNTS, GET),
    Address("login", (ANONYMOUS,), FORM_VIEW, refusal=302),
    Address("account_login", (ANONYMOUS,), FORM_VIEW, refusal=302),
    Address("logout", EVERYBODY, POST),  # it ends a login that waits for its second factor, too
    Address("account_logout", EVERYBODY, POST),
    Address("account_reauthenticate", ACCOUNTS, FORM_VIEW),
    Address("account_change_password", ACCOUNTS, FORM_VIEW),
    Address("account_reset_password", EVERYBODY, FORM_VIEW),
    Address("account_reset_password_done", EVERYBODY, GET),
    Address("account_reset_password_from_key", EVERYBODY, BOTH),
    Address("account_reset_password_from_key_done", EVERYBODY, GET),
    Address("account_email", ACCOUNTS, FORM_VIEW),
    Address("account_confirm_email", EVERYBODY, BOTH),  # with the link of a mail
    Address("mfa_index", ACCOUNTS, GET),
    Address("mfa_authenticate", EVERYBODY, BOTH),  # with a login that waits for it
    Address("mfa_reauthenticate", ACCOUNTS, BOTH),
    Address("mfa_activate_totp", ACCOUNTS, BOTH),
    Address("mfa_deactivate_totp", ACCOUNTS, BOTH),
    Address("mfa_view_recovery_codes", ACCOUNTS, GET),
    Address("mfa_generate_recovery_codes", ACCOUNTS, BOTH),
    Address("mfa_download_recovery_codes", ACCOUNTS, GET),
    Address("mfa_list_webauthn", ACCOUNTS, GET),
    Address("mfa_add_webauthn", ACCOUNTS, BOTH),
    Address("mfa_reauthenticate_webauthn", ACCOUNTS, BOTH),
    Address("mfa_edit_webauthn", ACCOUNTS, BOTH),
    Address("mfa_remove_webauthn", ACCOUNTS, BOTH),
    Address("mfa_login_webauthn", EVERYBODY, BOTH),
    Address("usersessions_list", ACCOUNTS, FORM_VIEW),
    Address("institution-confirm", ACCOUNTS, GET),
    Address("unlink-institution", ("annotator",), POST),  # whose link it is
    *(Address(name, (), ()) for name in WITHOUT_PROVIDER),
    Address("invitation", EVERYBODY, BOTH),  # with the link of a mail
    Address("mails", ("staff",), GET),  # without a mail server only
    Address("mail", ("staff",), GET),
    Address("new-password", EVERYBODY, BOTH),  # with the link that an admin made
    Address("account", ACCOUNTS, BOTH),
    Address("tokens", ACCOUNTS, BOTH),
    Address("own-data", ACCOUNTS, GET),
    Address("download-own-data", ACCOUNTS, POST),
    Address("find-person", ("staff",), BOTH),
    Address("person-data", ("staff",), BOTH),
    Address("export-person", ("staff",), POST),
    Address("choose-columns", ACCOUNTS, POST),
    Address("notice-choice", ACCOUNTS, BOTH),
    Address("stop-notices", EVERYBODY, BOTH),  # with the link of a mail
    Address("choose-language", EVERYBODY, POST),
    Address("revoke-token", ("annotator",), POST),  # whose token it is
    Address("new-collection", ("staff",), BOTH, refusal=403),
    Address("new-sample-collection", ("staff",), POST, refusal=403),
    Address("api-docs", ACCOUNTS, GET),
    Address("api-schema", ACCOUNTS, GET),
    Address("api-root", EVERYBODY, GET),  # what it lists depends on the roles
    Address("api-collections", ACCOUNTS, BOTH, posting=("staff",)),
    Address("api-notices", ACCOUNTS, BOTH),
    Address("api-own-data", ACCOUNTS, GET),
    Address("api-export-own-data", ACCOUNTS, POST),
    Address("api-find-person", ("staff",), POST),
    Address("api-person-data", ("staff",), GET),
    Address("api-export-person", ("staff",), POST),
    Address("api-erase-person", ("staff",), POST),
    Address("api-nowhere", (), ()),
    Address("server-record", ("staff",), GET),
    Address("parts", (), ()),  # in the demo only
    Address("server-state", ("staff",), GET, refusal=403),
    # Everybody: the release of the first collection is public
    Address("help-index", EVERYBODY, GET),
    Address("help", EVERYBODY, GET),
    Address("help-picture", EVERYBODY, GET),
    Address("public-releases", EVERYBODY, GET),
    Address("privacy", EVERYBODY, GET),
    Address("public-release", EVERYBODY, GET),
    Address("public-release-download", EVERYBODY, GET),
    Address("report-public-erratum", EVERYBODY, BOTH),
    # Every role in the collection
    Address("collection", HERE, GET),
    Address("api-collection", HERE, GET),
    Address("api-facets", (ADMIN, OWNER), POST),
    Address("api-guidelines", (ADMIN, OWNER), GET),
    Address("api-guideline", (ADMIN, OWNER), BOTH),
    Address("api-apply-guideline", (ADMIN, OWNER), POST),
    Address("api-read-guideline", (ANNOTATOR, OWNER), POST),
    Address("api-archive", (ADMIN,), ("post", "delete")),
    # In place of pages of admins
    Address("set-up", (OWNER,), BOTH),
    Address("build-usual-pools", (OWNER,), POST),
    Address("end-judging", (OWNER,), POST),
    Address("api-end-judging", (OWNER,), POST),
    # The corpus
    Address("add-sample", (ADMIN,), POST),
    Address("search", (ADMIN,), GET),
    Address("documents", (ADMIN, OWNER), GET),
    Address("document", (ADMIN,), GET),
    Address("query", (ADMIN,), GET),
    Address("name-query-aspects", (ADMIN,), POST),
    Address("topic", (ADMIN,), GET),
    Address("import-documents", (ADMIN, OWNER), BOTH),
    Address("document-imports", (ADMIN, OWNER), GET),
    Address("label-sentences", (ADMIN,), POST),
    Address("labels", (ADMIN, CURATOR, OWNER), GET),
    Address("predict-labels", (ADMIN, OWNER), POST),
    Address("train-labeller", (ADMIN, OWNER), POST),
    Address("api-labels", (ADMIN, OWNER), BOTH),
    Address("check-labels", (ADMIN, CURATOR, OWNER), GET),
    Address("check-next", (ADMIN, CURATOR, OWNER), GET),
    Address("check-ahead", (ADMIN, CURATOR, OWNER), GET),
    Address("check-undo", (ADMIN, CURATOR, OWNER), GET),
    Address("check-document", (ADMIN, CURATOR, OWNER), BOTH),
    Address("queries", (ADMIN, OWNER), GET),
    Address("add-query", (ADMIN, OWNER), BOTH),
    Address("add-query-list", (ADMIN, OWNER), POST),
    Address("import-topics", (ADMIN, OWNER), POST),
    Address("remove-query", (ADMIN, OWNER), POST),
    Address("api-documents", (ADMIN, OWNER), BOTH, reading=(ADMIN,)),
    Address("api-document", (ADMIN,), GET),
    Address("api-queries", (ADMIN, OWNER), BOTH),
    Address("api-topics", (ADMIN, OWNER), POST),
    # Samples and screening
    Address("samples", (ADMIN,), GET),
    Address("draw-sample", (ADMIN,), BOTH),
    Address("sample", (ADMIN,), GET),
    Address("delete-sample", (ADMIN,), POST),
    Address("paper-types", (ADMIN,), BOTH),
    Address("api-samples", (ADMIN,), BOTH),
    Address("api-sample", (ADMIN,), GET),
    Address("api-sample-papers", (ADMIN,), GET),
    Address("screen", (ADMIN, CURATOR), GET),
    Address("screen-sample", (ADMIN, CURATOR), GET),
    Address("screen-mine", (ADMIN, CURATOR), GET),
    Address("screen-paper", (ADMIN, CURATOR), BOTH),
    # Curation
    Address("choose-queries", (ADMIN,), BOTH),
    Address("query-choice", (ADMIN,), GET),
    Address("apply-choice", (ADMIN,), POST),
    Address("choice-figure", (ADMIN,), GET),
    # Baselines and errors
    Address("baselines", (ADMIN,), GET),
    Address("make-baselines", (ADMIN,), POST),
    Address("error-browser", (ADMIN,), GET),
    Address("tag-error", (ADMIN,), POST),
    Address("error-tags-csv", (ADMIN,), GET),
    Address("error-counts-csv", (ADMIN,), GET),
    # Runs and pools
    Address("runs", (ADMIN,), GET),
    Address("add-run", (ADMIN,), GET),
    Address("import-run", (ADMIN,), POST),
    Address("import-embeddings", (ADMIN,), POST),
    Address("retrieve", (ADMIN,), POST),
    Address("choose-models", (ADMIN,), GET),
    Address("remove-run", (ADMIN,), POST),
    Address("run-file", (ADMIN,), GET),
    Address("pools", (ADMIN, OWNER), GET),
    Address("pool", (ADMIN,), GET),
    Address("plan-pools", (ADMIN,), BOTH),
    Address("save-plan", (ADMIN,), POST),
    Address("delete-plan", (ADMIN,), POST),
    Address("compare-plans", (ADMIN,), GET),
    Address("plan-judging", (ADMIN,), GET),
    Address("compare-judging-plans", (ADMIN,), POST),
    Address("judging-plans-json", (ADMIN,), GET),
    Address("judging-plan-csv", (ADMIN,), GET),
    Address("build-pools", (ADMIN,), POST),
    Address("freeze-pools", (ADMIN,), POST),
    Address("pool-manifest", (ADMIN,), GET),
    Address("pool-rounds", (ADMIN,), GET),
    Address("add-pool-round", (ADMIN,), POST),
    Address("open-pool-round", (ADMIN,), POST),
    Address("pool-round-manifest", (ADMIN,), GET),
    Address("pool-round-run", (ADMIN,), GET),
    Address("pool-figure", (ADMIN,), GET),
    Address("models-figure", (ADMIN,), GET),
    Address("yields", (ADMIN,), GET),
    Address("yields-figure", (ADMIN,), GET),
    Address("api-yields", (ADMIN,), GET),
    Address("significance", (ADMIN,), GET),
    Address("significance-csv", (ADMIN,), GET),
    Address("all-pairs-csv", (ADMIN,), GET),
    Address("compare-systems", (ADMIN,), GET),
    Address("paired-facets", (ADMIN,), GET),
    Address("comparison-figure", (ADMIN,), GET),
    Address("api-runs", (ADMIN,), BOTH),
    Address("api-run", (ADMIN,), GET),
    Address("api-run-file", (ADMIN,), GET),
    Address("api-embeddings", (ADMIN,), POST),
    Address("api-saved-plans", (ADMIN,), BOTH),
    Address("api-saved-plan", (ADMIN,), ("get", "delete")),
    Address("api-pools", (ADMIN,), BOTH),
    Address("api-pool", (ADMIN,), GET),
    Address("api-pool-builds", (ADMIN,), GET),
    Address("api-pool-manifest", (ADMIN,), GET),
    Address("api-pool-rounds", (ADMIN,), BOTH),
    Address("api-open-pool-round", (ADMIN,), POST),
    Address("api-pool-round-manifest", (ADMIN,), GET),
    # Judging
    Address("judge", (ANNOTATOR, OWNER), GET),
    Address("judge-query", (ANNOTATOR, OWNER), GET),
    Address("judge-ahead", (ANNOTATOR, OWNER), GET),
    Address("judge-undo", (ANNOTATOR, OWNER), GET),
    Address("judge-mine", (ANNOTATOR, OWNER), GET),
    Address("judge-pair", (ANNOTATOR, OWNER), BOTH),
    Address("judge-later", (ANNOTATOR, OWNER), POST),
    Address("judge-question", (ANNOTATOR, OWNER), BOTH),
    Address("judge-proposal", (ANNOTATOR, OWNER), GET),
    Address("ask-admin", (ANNOTATOR, OWNER), BOTH),
    Address("own-help-requests", (ANNOTATOR, ADJUDICATOR, OWNER), BOTH),
    Address("help-requests", (ADMIN,), GET),
    Address("help-request", (ADMIN,), BOTH),
    Address("deadlines", (ADMIN, OWNER), BOTH),
    Address("api-deadlines", (ADMIN, OWNER), BOTH),
    Address("board", (ADMIN, OWNER), BOTH),
    Address("board-figure", (ADMIN,), GET),
    Address("open-queries", (ADMIN,), GET),
    Address("add-exclusion", (ADMIN,), POST),
    Address("remove-exclusion", (ADMIN,), POST),
    Address("rebalance", (ADMIN,), BOTH),
    Address("seat", (ADMIN,), BOTH),
    Address("timesheet", (ADMIN, ANNOTATOR, ADJUDICATOR, OWNER), GET),
    Address("consent", (ANNOTATOR, OWNER), BOTH),
    Address("withdraw-consent", (ANNOTATOR, OWNER), POST),
    Address("consent-texts", (ADMIN, OWNER), BOTH),
    Address("api-consent", (ANNOTATOR, OWNER), BOTH),
    Address("guidelines", (ADMIN, ANNOTATOR, ADJUDICATOR, OWNER), GET),
    Address("guideline-text", (ADMIN, ANNOTATOR, ADJUDICATOR, OWNER), BOTH),
    Address("apply-guideline", (ADMIN, OWNER), POST),
    Address("guideline", (ADMIN, OWNER), BOTH),
    Address("import-judgments", (ADMIN,), BOTH),
    Address("api-judgment-imports", (ADMIN,), BOTH),
    Address("api-openings", (ADMIN, OWNER), BOTH),
    Address("api-judging", (ANNOTATOR, OWNER), GET),
    Address("api-next", (ANNOTATOR, OWNER), GET),
    Address("api-own-questions", (ANNOTATOR, OWNER), GET),
    Address("api-ask-admin", (ANNOTATOR, OWNER), POST),
    Address("api-own-help-requests", (ANNOTATOR, ADJUDICATOR, OWNER), GET),
    Address("api-read-help-answer", (ANNOTATOR, ADJUDICATOR, OWNER), POST),
    Address("api-help-requests", (ADMIN,), GET),
    Address("api-answer-help-request", (ADMIN,), POST),
    Address("api-keep-judgment", (ANNOTATOR, OWNER), POST),
    Address("api-pair", (ANNOTATOR, OWNER), GET),
    Address("api-judge", (ANNOTATOR, OWNER), POST),
    Address("api-judgments", (ANNOTATOR, OWNER), GET),
    # Adjudication
    Address("adjudicate", (ADJUDICATOR,), BOTH),
    Address("adjudicate-query", (ADJUDICATOR,), BOTH),
    Address("adjudicate-decided", (ADJUDICATOR,), GET),
    Address("adjudicate-settled", (ADJUDICATOR,), GET),
    Address("case", (ADJUDICATOR,), BOTH),
    Address("ask-admin-about-case", (ADJUDICATOR,), BOTH),
    Address("case-claim", (ADJUDICATOR,), POST),
    Address("blind-ratings", (ADMIN,), GET),
    Address("case-later", (ADJUDICATOR,), POST),
    Address("case-undo", (ADJUDICATOR,), GET),
    Address("case-questions", (ADJUDICATOR,), GET),
    Address("ask-judges", (ADJUDICATOR,), POST),
    Address("take-question-back", (ADJUDICATOR,), POST),
    Address("api-cases", (ADJUDICATOR,), GET),
    Address("api-case", (ADJUDICATOR,), GET),
    Address("api-decide", (ADJUDICATOR,), POST),
    Address("api-rate-blind", (ADJUDICATOR,), POST),
    Address("api-claim-case", (ADJUDICATOR,), POST),
    Address("api-ask-judges", (ADJUDICATOR,), POST),
    Address("api-ask-admin-about-case", (ADJUDICATOR,), POST),
    Address("api-questions", (ADJUDICATOR,), GET),
    Address("api-take-question-back", (ADJUDICATOR,), POST),
    Address("api-decisions", (ADJUDICATOR,), GET),
    # Pilot rounds
    Address("pilots", (ADMIN,), GET),
    Address("new-pilot", (ADMIN,), BOTH),
    Address("pilot", (ADMIN,), GET),
    Address("pilot-meeting", (ADMIN,), GET),
    Address("close-pilot", (ADMIN,), POST),
    Address("remove-pilot", (ADMIN,), POST),
    Address("practice", (ANNOTATOR, OWNER), GET),
    Address("practice-guideline", (ANNOTATOR, OWNER), BOTH),
    Address("practice-query", (ANNOTATOR, OWNER), GET),
    Address("practice-pair", (ANNOTATOR, OWNER), BOTH),
    Address("practice-ahead", (ANNOTATOR, OWNER), GET),
    Address("practice-undo", (ANNOTATOR, OWNER), GET),
    Address("practice-mine", (ANNOTATOR, OWNER), GET),
    Address("api-pilots", (ADMIN,), BOTH),
    Address("api-pilot", (ADMIN,), ("get", "delete")),
    Address("api-close-pilot", (ADMIN,), POST),
    # Full texts and their studies
    Address("import-full-texts", (ADMIN,), BOTH),
    Address("full-text", (ADMIN,), GET),
    Address("studies", (ADMIN,), GET),
    Address("new-study", (ADMIN,), BOTH),
    Address("study", (ADMIN,), GET),
    Address("study-csv", (ADMIN,), GET),
    Address("end-study", (ADMIN,), POST),
    Address("full-text-studies", (ANNOTATOR,), GET),
    Address("own-study", (ANNOTATOR,), GET),
    Address("rate-next", (ANNOTATOR,), GET),
    Address("rate-undo", (ANNOTATOR,), GET),
    Address("rate-pair", (ANNOTATOR,), BOTH),
    # Evaluation
    Address("leaderboard", (ADMIN,), GET),
    Address("score-systems", (ADMIN,), POST),
    Address("change-folds", (ADMIN,), POST),
    Address("systems", (ADMIN,), GET),
    Address("system", (ADMIN,), GET),
    Address("ranked-lists", (ADMIN,), GET),
    Address("system-file", (ADMIN,), GET),
    Address("leaderboard-figure", (ADMIN,), GET),
    Address("add-system", (ADMIN,), GET),
    Address("import-system", (ADMIN,), POST),
    Address("remove-system", (ADMIN,), POST),
    Address("system-repetition", (ADMIN,), POST),
    Address("api-evaluation", (ADMIN,), BOTH),
    Address("api-systems", (ADMIN,), BOTH),
    Address("api-system", (ADMIN,), ("get", "delete")),
    # Comparisons of labels
    Address("label-effects", (ADMIN,), GET),
    Address("compute-label-effects", (ADMIN,), POST),
    Address("label-effects-figure", (ADMIN,), GET),
    Address("label-effects-csv", (ADMIN,), GET),
    Address("label-effects-json", (ADMIN,), GET),
    Address("round-effects-csv", (ADMIN,), GET),
    Address("round-effects-json", (ADMIN,), GET),
    Address("cited-papers", (ADMIN,), GET),
    Address("cited-papers-csv", (ADMIN,), GET),
    Address("cited-papers-json", (ADMIN,), GET),
    Address("shadow-judges", (ADMIN,), GET),
    Address("import-shadow-judge", (ADMIN,), BOTH),
    Address("ask-model", (ADMIN,), BOTH),
    Address("continue-model", (ADMIN,), POST),
    Address("model-answers", (ADMIN,), GET),
    Address("shadow-judge", (ADMIN,), GET),
    Address("compare-shadow-judge", (ADMIN,), POST),
    Address("shadow-judge-figure", (ADMIN,), GET),
    Address("shadow-judge-csv", (ADMIN,), GET),
    Address("shadow-judge-json", (ADMIN,), GET),
    Address("choose-shadow-judge-family", (ADMIN,), POST),
    Address("delete-shadow-judge", (ADMIN,), POST),
    Address("estimates", (ADMIN,), GET),
    Address("compute-estimates", (ADMIN,), POST),
    Address("estimates-figure", (ADMIN,), GET),
    Address("estimates-csv", (ADMIN,), GET),
    Address("estimates-json", (ADMIN,), GET),
    Address("api-baselines", (ADMIN,), BOTH),
    Address("api-significance", (ADMIN,), GET),
    Address("api-corpus-sizes", (ADMIN,), BOTH),
    Address("api-gaps", (ADMIN,), BOTH),
    Address("api-pool-bias", (ADMIN,), BOTH),
    # Samples of citation labels
    Address("label-samples", (ADMIN,), BOTH),
    Address("label-sample", (ADMIN,), GET),
    Address("label-sample-csv", (ADMIN,), GET),
    Address("api-label-samples", (ADMIN,), BOTH),
    Address("api-label-sample", (ADMIN,), GET),
    Address("api-studies", (ADMIN,), BOTH),
    Address("api-study", (ADMIN,), GET),
    Address("api-end-study", (ADMIN,), POST),
    Address("api-publicity", (ADMIN,), ("get", "post", "delete")),
    Address("api-label-effects", (ADMIN,), BOTH),
    Address("api-round-effects", (ADMIN,), BOTH),
    Address("api-cited-papers", (ADMIN,), BOTH),
    Address("api-shadow-judges", (ADMIN,), BOTH),
    Address("api-shadow-judge", (ADMIN,), ("get", "post", "delete")),
    Address("api-shadow-judge-report", (ADMIN,), BOTH),
    Address("api-ask-model", (ADMIN,), ("post",)),
    Address("api-asking", (ADMIN,), BOTH),
    Address("api-estimates", (ADMIN,), BOTH),
    # Agreement and releases
    Address("agreement", (ADMIN,), GET),
    Address("compute-agreement", (ADMIN,), POST),
    Address("change-agreement-rule", (ADMIN,), POST),
    Address("split-query", (ADMIN,), POST),
    Address("agreement-csv", (ADMIN,), GET),
    Address("agreement-json", (ADMIN,), GET),
    Address("agreement-figure", (ADMIN,), GET),
    Address("alignment", (ADMIN,), GET),
    Address("compute-alignment", (ADMIN,), POST),
    Address("alignment-json", (ADMIN,), GET),
    Address("consistency", (ADMIN,), GET),
    Address("compute-consistency", (ADMIN,), POST),
    Address("consistency-json", (ADMIN,), GET),
    Address("consistency-figure", (ADMIN,), GET),
    Address("corpus-sizes", (ADMIN,), GET),
    Address("measure-corpus-sizes", (ADMIN,), POST),
    Address("corpus-sizes-figure", (ADMIN,), GET),
    Address("corpus-sizes-json", (ADMIN,), GET),
    Address("corpus-sizes-csv", (ADMIN,), GET),
    Address("gaps", (ADMIN,), GET),
    Address("compute-gaps", (ADMIN,), POST),
    Address("gaps-json", (ADMIN,), GET),
    Address("pool-bias", (ADMIN,), GET),
    Address("compute-pool-bias", (ADMIN,), POST),
    Address("pool-bias-figure", (ADMIN,), GET),
    Address("pool-bias-json", (ADMIN,), GET),
    Address("datasheet", (ADMIN,), BOTH),
    Address("profile-threshold", (ADMIN,), POST),
    Address("api-datasheet", (ADMIN,), BOTH),
    Address("own-profiles", ACCOUNTS, GET),
    # Those who judge. The curator, the staff and admins of other collections do not.
    Address("own-profile", (ANNOTATOR, ADJUDICATOR, OWNER), BOTH),
    Address("releases", (ADMIN,), GET),
    Address("display-proof", (ADMIN,), GET),
    Address("prove-display", (ADMIN,), POST),
    Address("blindness", (ADMIN,), GET),
    Address("check-blindness", (ADMIN,), POST),
    Address("publish", (ADMIN,), BOTH),
    Address("release", (ADMIN,), GET),
    Address("release-download", (ADMIN,), GET),
    Address("make-release-public", (ADMIN,), POST),
    Address("make-release-private", (ADMIN,), POST),
    Address("release-changes", (ADMIN,), GET),
    Address("rank-under-versions", (ADMIN,), POST),
    Address("referrals", (ADMIN,), BOTH),
    Address("api-referrals", (ADMIN,), BOTH),
    Address("report-erratum", (ADMIN,), BOTH),
    Address("errata", (ADMIN,), BOTH),
    Address("erratum", (ADMIN,), BOTH),
    Address("recompute-reports", (ADMIN,), POST),
    Address("moved-datasheet", (ADMIN,), GET),
    Address("moved-errata", (ADMIN,), GET),
    Address("moved-erratum", (ADMIN,), GET),
    Address("api-agreement", (ADMIN,), BOTH),
    Address("api-alignment", (ADMIN,), BOTH),
    Address("api-consistency", (ADMIN,), BOTH),
    Address("api-releases", (ADMIN,), BOTH),
    Address("api-release", (ADMIN,), GET),
    Address("api-bundle", (ADMIN,), GET),
    Address("api-errata", (ADMIN,), GET),
    Address("api-decline-errata", (ADMIN,), POST),
    Address("api-erratum", (ADMIN,), BOTH),
    # Jobs, people and settings
    Address("jobs", (ADMIN, OWNER), GET),
    Address("job", (ADMIN, OWNER), GET),
    Address("job-card", (ADMIN, OWNER), GET),
    Address("cancel-job", (ADMIN, OWNER), POST),
    Address("try-job-again", (ADMIN, OWNER), POST),
    Address("import-checked", (ADMIN, OWNER), POST),
    Address("people", (ADMIN, OWNER), GET),
    Address("person", (ADMIN,), GET),
    Address("add-role", (ADMIN, OWNER), POST),
    Address("add-person", (ADMIN, OWNER), POST),
    Address("remove-role", (ADMIN, OWNER), POST),
    Address("invite-people", (ADMIN, OWNER), POST),
    Address("send-invitation-again", (ADMIN, OWNER), POST),
    Address("revoke-invitation", (ADMIN, OWNER), POST),
    Address("api-invitations", (ADMIN, OWNER), BOTH),
    Address("api-invitation", (ADMIN, OWNER), ("post", "delete")),
    Address("make-password-link", (ADMIN,), POST),
    Address("give-qualification", (ADMIN,), POST),
    Address("withdraw-qualification", (ADMIN,), POST),
    Address("api-qualifications", (ADMIN,), BOTH),
    Address("measure-senior", (ADMIN,), POST),
    Address("training", (ADMIN, ANNOTATOR, OWNER), GET),
    Address("start-training", (ANNOTATOR, OWNER), POST),
    Address("make-training-set", (ADMIN,), POST),
    Address("import-training-set", (ADMIN,), POST),
    Address("training-set", (ADMIN,), GET),
    Address("close-training-set", (ADMIN,), POST),
    Address("training-result", (ANNOTATOR, OWNER), GET),
    Address("api-training-sets", (ADMIN,), BOTH),
    Address("api-training-set", (ADMIN,), GET),
    Address("api-training", (ANNOTATOR, OWNER), GET),
    Address("api-training-result", (ANNOTATOR, OWNER), GET),
    Address("api-people", (ADMIN, OWNER), BOTH),
    Address("api-person", (ADMIN, OWNER), ("get", "post", "delete")),
    Address("api-accounts", (ADMIN, OWNER), POST),
    Address("api-licences", (ADMIN, OWNER), POST),
    Address("collection-settings", (ADMIN, OWNER), BOTH),
    Address("collection-facets", (ADMIN, OWNER), POST),
    Address("judging-settings", (ADMIN, OWNER), POST),
    Address("api-judging-rules", (ADMIN, OWNER), BOTH),
    Address("api-second-factor", (ADMIN, OWNER), BOTH),
    Address("record", (ADMIN,), GET),
    Address("api-actions", (ADMIN,), GET),
    Address("archive-collection", (ADMIN,), POST),
    Address("unarchive-collection", (ADMIN,), POST),
    Address("export-collection", (ADMIN,), POST),
    Address("delete-collection", (ADMIN,), BOTH),
    Address("api-jobs", (ADMIN, OWNER), GET),
    Address("api-job", (ADMIN, OWNER), GET),
    Address("api-cancel-job", (ADMIN, OWNER), POST),
]
LEADING_ON = {
    *("mfa_authenticate", "mfa_reauthenticate", "mfa_activate_totp", "mfa_deactivate_totp"),
    *("mfa_view_recovery_codes", "mfa_generate_recovery_codes", "mfa_download_recovery_codes"),
    *("mfa_add_webauthn", "mfa_reauthenticate_webauthn", "mfa_edit_webauthn"),
    *("mfa_remove_webauthn", "mfa_login_webauthn"),
    "check-labels",
    "cited-papers",
    "paired-facets",
    "shadow-judges",
    "significance",
    "open-queries",
    "query",
    "pool",
    "topic",
    "system",
    "person",
    "systems",
    "baselines",
    "ranked-lists",
    "errata",
    "publish",
    "moved-datasheet",
    "moved-errata",
    "moved-erratum",
    "home",
    "my-collections",
    "judge-query",
    "judge-undo",
    "judge-question",
    "judge-proposal",
    "screen-sample",
    "adjudicate-query",
    "guidelines",
    "adjudicate-settled",
    "case-undo",
    "rate-next",
    "rate-undo",
    "practice-undo",
    "check-next",
    "check-undo",
}
# They end or continue a login.
LEADING_TO_THE_LOGIN = {
    *("logout", "account_logout", "mfa_authenticate", "mfa_login_webauthn"),
    "account_confirm_email",
}
# Pages of admins that lead an owner-annotator to the page in their place.
OWNERS_ARE_LED_ON = {"documents", "queries", "pools", "board"}
# What some of the forms need to act; the others need more, or nothing.
FIELDS = {"confirmed": "yes", "missing": "zero", "version": "2"}
# A figure that the page of the address has.
FIGURES = {
    "agreement-figure": "agreement",
    "consistency-figure": "sitting",
    "corpus-sizes-figure": "corpus-sizes",
    "pool-figure": "depth",
    "models-figure": "overlap",
    "yields-figure": "yield-curve",
    "comparison-figure": "baseline",
    "leaderboard-figure": "leaderboard",
    "board-figure": "progress",
    "pool-bias-figure": "sources",
    "choice-figure": "balance",
    "label-effects-figure": "annotators",
    "shadow-judge-figure": "model-means",
    "estimates-figure": "estimates",
}
ROUTES = {pattern.name: route for route, pattern in patterns()}
# Parameters that name a row of a collection, and not something that every collection has.
ROWS = {
    "docno",
    "topic",
    "name",
    "query",
    "token",
    "build",
    "choice",
    "plan",
    "sample",
    "label_sample",
    "version",
    "practice_set",
    "study",
    "shadow_judge",
    "job_id",
    "opening_id",
    "membership_id",
    "user_id",
    "username",
    "exclusion_id",
    "erratum_id",
    "question",
    "invitation_id",
    "help_request",
}


@pytest.fixture(scope="module")
def prepared(rolled_back, tmp_path_factory, kept_world) -> Iterator[dict]:
    """Two collections with one of everything, made once; every test rolls back to them."""
    folder = tmp_path_factory.mktemp("permissions")
    with rolled_back():
        with override_settings(RELEASE_DIR=folder):
            found = two_collections(kept_world())
        yield found | {"folder": folder, "rows": row_counts()}


def two_collections(world: World) -> dict:
    collection, far = world.collection, another_collection()
    member(collection, Role.CURATOR, "curator")
    UserFactory(username="outsider")
    UserFactory(username="staff", is_staff=True)
    member(far, Role.ADMIN, "ann1")
    member(far, Role.ANNOTATOR, "admin")
    member(far, Role.ADJUDICATOR, "admin")
    member(far, Role.ANNOTATOR, "adju")
    member(far, Role.ANNOTATOR, "curator")
    for role in (Role.ANNOTATOR, Role.ADJUDICATOR):
        member(far, role, "owner")
    own_slot = owners_query(collection)
    unused = DocumentFactory(collection=collection)
    query = create_query(collection=collection, docno=unused.docno, facet_key="method")
    exclusion = query.query_paper.exclusions.create(annotator=UserFactory(username="excluded"))
    a_topic(collection, "10.2/topic")
    make_public(release=world.release, person=None)
    (slot,) = judge_both(an_open_query(collection, size=1), (0, 3))
    question = ask_about(slot, User.objects.get(username="adju"))
    usernames = {person: USERNAMES.get(person, person) for person in ACCOUNTS}
    sessions = {person: session_of(username) for person, username in usernames.items()}
    newcomer = member(collection, Role.CURATOR, "newcomer")
    people = list(User.objects.filter(username__in=("ann1", "owner")).order_by("username"))
    pilot = a_pilot(collection, people=people, named=[a_query(collection).name])
    gold = a_query(collection, size=5)
    train_with(collection, gold, *people)
    owner = User.objects.get(username="admin")
    link = password_link(asked_by=owner, person=newcomer)
    letter = store_invitation(collection, Invitee("mara@example.org"), Role.CURATOR, owner)
    return {
        "tokens": {person: token_of(username) for person, username in usernames.items()},
        "narrow_tokens": {
            (person, scope): token_of(usernames[person], scope)
            for person in (*HERE, "outsider", "staff")
            for scope in NARROW_SCOPES
        },
        "sessions": sessions,
        "of_owner": {"query": own_slot.pair.query.name, "token": own_slot.pair.token},
        "slug": world.slug,
        "far": far.slug,
        "docno": world.paper,
        "topic": "10.2/topic",
        "query": world.query,
        "run": world.run.name,
        "system": world.system.name,
        "token": world.token,
        "link": link,
        "confirmation": EmailConfirmationHMAC(
            EmailAddress.objects.create(user=newcomer, email="new@example.org")
        ).key,
        "pk": 1,
        "invitation_id": letter.invitation.pk,
        "link_token": letter.token,
        "stop_token": stop_token(newcomer),
        "mail_name": "20260101-000000-000000-00000000",
        "build": world.build.pk,
        "choice": collection.query_choices.get().name,
        "plan": collection.saved_plans.get().pk,
        "sample": collection.samples.get(name="periods").name,
        "label_sample": a_row_of_a_sample(collection).collection.slug,
        "position": 1,
        "version": world.release.version,
        "practice_set": pilot.name,
        "practice_pair": pilot.pairs.first(),
        "study": world.study.name,
        "shadow_judge": SHADOW_JUDGE,
        "job_id": world.job.pk,
        "opening_id": world.opening.pk,
        "exclusion_id": exclusion.pk,
        "erratum_id": world.erratum.pk,
        "question": question.pk,
        "help_request": answer_help(ask_admin(slot), for_all=True).pk,
        "number": 1,
        "round_number": top_up(world.opening, 1).number,
        "table": "documents",
        "strategy": "random",
        "page": "release",
        "picture": "judging-light",
        "facet": "method",
        "missing": "exclude",
        "username": newcomer.username,
        "user_id": newcomer.pk,
        "person_id": newcomer.pk,
        "token_id": User.objects.get(username="ann1").api_tokens.first().pk,
        "membership_id": collection.memberships.get(user__username="ann1").pk,
        "link_id": SocialAccount.objects.create(
            user=User.objects.get(username="ann1"), provider="oidc", uid="a key"
        ).pk,
        **dict.fromkeys(("key", "provider_id", "organization_slug"), "oidc"),
    }


def owners_query(collection: Collection) -> Slot:
    """A slot of the owner-annotator, in a query of his or her own."""
    owner = member(collection, Role.OWNER_ANNOTATOR, "owner")
    people = (owner, User.objects.get(username="ann2"))
    opening = open_query(query=a_query(collection), annotators=people, opened_by=None)
    return Slot.objects.filter(pair__query=opening.query, annotator=owner).first()


@pytest.fixture(autouse=True)
def _bare_refusals(monkeypatch):
    """Only the status of a refusal matters here, and its page takes a third of the request."""
    bare = lambda request, exception: HttpResponseNotFound()  # noqa: E731
    monkeypatch.setattr(urls, "handler404", bare, raising=False)


@pytest.fixture
def world(prepared, db, settings) -> dict:
    settings.RELEASE_DIR = prepared["folder"]
    settings.MAIL_DIR = prepared["folder"]
    (prepared["folder"] / f"{prepared['mail_name']}.eml").write_text("Subject: Hello\n\nText\n")
    return prepared


def where(name: str, world: dict, slug: str = "") -> str:
    """The address, filled in with what the first collection has."""
    route = ROUTES[name]
    places = {
        "/runs/": world["run"],
        "/lists/": "late2",
        "/systems/": world["system"],
        "/practice/": world["practice_pair"].query.name,
    }
    named = next((name for place, name in places.items() if place in route), world["query"])
    values = world | {"slug": slug or world["slug"], "name": named}
    if name == "new-password":
        return world["link"]
    if name == "account_confirm_email":
        return reverse(name, args=[world["confirmation"]])
    if name == "account_reset_password_from_key":
        return reverse(name, args=["1", "used-up"])
    if "/training" in route:
        values["practice_set"] = "training-1"
    if "/practice/" in route:
        values["token"] = world["practice_pair"].token
    values |= {"figure": FIGURES.get(name, ""), "extension": "svg"}
    if name == "api-nowhere":
        return reverse(name) + "nowhere/"
    (address,) = filled(route, {parameter: [value] for parameter, value in values.items()})
    return address


def session_of(username: str) -> str:
    client = Client()
    client.force_login(User.objects.get(username=username))
    return client.cookies[settings.SESSION_COOKIE_NAME].value


HANDLER = Client().handler  # of all clients, as in a server: to load the middleware takes 1 ms


def a_client() -> Client:
    client = Client(raise_request_exception=False)
    client.handler = HANDLER
    return client


def client_for(person: str, name: str, world: dict) -> Client:
    """Logged in for a page, with a token for the API."""
    client = a_client()
    if person != ANONYMOUS and is_api(name):
        client.defaults["HTTP_AUTHORIZATION"] = f"Token {world['tokens'][person]}"
    elif person != ANONYMOUS:
        client.cookies[settings.SESSION_COOKIE_NAME] = world["sessions"][person]
    return client


def is_api(name: str) -> bool:
    return ROUTES[name].startswith("api/") and name != "api-docs"


def speaks_json(name: str) -> bool:
    return ROUTES[name].startswith("api/v1/")  # the schema is OpenAPI's own media type


def ask(client: Client, method: str, address: str) -> tuple[int, str, object]:
    """The status, where it leads to, and the answer where it is JSON of the API."""
    response = getattr(client, method)(address, **({"data": FIELDS} if method == "post" else {}))
    is_json = response.get("Content-Type") == "application/json" and not response.streaming
    body = response.json() if is_json else None
    response.getvalue()  # a file is closed when it was read
    return response.status_code, response.get("Location", ""), body


def row_counts() -> list[tuple[str, int]]:
    """How many rows each table has. Logging in writes a session."""
    tables = {model._meta.db_table for model in apps.get_models() if model is not Session}
    counts = [f"SELECT '{table}', COUNT(*) FROM {table}" for table in sorted(tables)]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(counts))
        return sorted(cursor.fetchall())


def test_every_address_has_its_row_in_the_table():
    names = [address.name for address in ADDRESSES]

    assert sorted(names) == sorted(pattern.name for _, pattern in patterns())


ALLOWED = [(address, person) for address in ADDRESSES for person in address.people]
REFUSED = {
    address: tuple(person for person in ACCOUNTS if person not in address.people)
    for address in ADDRESSES
    if not set(ACCOUNTS) <= set(address.people)
}


def methods_for(address: Address, person: str, people: tuple[str, ...]) -> tuple[str, ...]:
    """All for the first person, those of the address for the others.

    What refuses a method that the address does not have never looks at the person.
    """
    return METHODS if person == people[0] else address.methods


def by_turns(address: Address, person: str) -> object:
    """Of the people of an address, `by_day` selects each once in twice as many days."""
    days = pytest.mark.by_day(2 * len(address.people))
    return pytest.param((address, person), marks=days, id=f"{address.name}-{person}")


@pytest.mark.parametrize("cell", [by_turns(*cell) for cell in ALLOWED])
def test_with_the_role_the_address_answers_its_methods_and_no_other(cell, world):
    address, person = cell
    for method in methods_for(address, person, address.people):
        client = client_for(person, address.name, world)
        path = where(address.name, world | (world["of_owner"] if person == OWNER else {}))
        before = transaction.savepoint()
        status, leads_to, body = ask(client, method, path)
        transaction.savepoint_rollback(before)

        if person == OWNER and address.name in OWNERS_ARE_LED_ON:
            assert (method, status) == (method, 302 if method == "get" else 404)
        elif method not in address.methods:
            assert (method, status) == (method, 405)
            assert not speaks_json(address.name) or body["code"] == "method_not_allowed"
        elif person not in (*(address.reading if method == "get" else address.posting), ANONYMOUS):
            assert (status, body) == (404, NOTHING_HERE if is_api(address.name) else None)
        elif method == "get":
            assert status == 200 or (status in {301, 302} and address.name in LEADING_ON)
        else:
            # Done, or refused for what is missing in the form, but not for who sent it.
            assert status in {200, 202, 204, 302, 400, 409, 415, 422}
        if address.name not in LEADING_TO_THE_LOGIN:
            assert not leads_to.startswith(reverse("login"))


def answer_within_scope(address: Address, person: str, method: str, scope: str) -> str:
    """What a token with the scope gets: the answer, a refusal (403) or nothing (404)."""
    admitted = address.reading if method == "get" else address.posting
    people = set(address.people) & set(admitted)
    if person not in people:
        return "nothing"
    if method == "get" and (scope == "read" or address.name in FOR_EVERY_SCOPE):
        return "answer"
    if scope == "judge" and address.name in OF_ONE_SELF:
        return "answer"
    is_judging = bool(people & {ANNOTATOR, ADJUDICATOR, CURATOR})
    is_judging &= address.name not in FOR_ADMIN_SCOPE
    return "answer" if scope == "judge" and is_judging and person != ADMIN else "refusal"


@pytest.mark.by_day(4)
@pytest.mark.parametrize("scope", NARROW_SCOPES)
def test_a_token_does_what_its_scope_allows_and_nothing_else(scope, world):
    addresses = [each for each in ADDRESSES if is_api(each.name) and each.people]
    assert len(addresses) > 90
    wrong = []
    for address in addresses:
        people = [person for person in (*HERE, "staff") if person in address.people]
        if address.name == "api-schema":
            people = []  # every person gets the same, and it takes long
        for person in (*people, "outsider"):
            client = a_client()
            token = world["narrow_tokens"][person, scope]
            client.defaults["HTTP_AUTHORIZATION"] = f"Token {token}"
            path = where(address.name, world | (world["of_owner"] if person == OWNER else {}))
            for method in address.methods:
                expected = answer_within_scope(address, person, method, scope)
                before = transaction.savepoint()
                status, _, body = ask(client, method, path)
                transaction.savepoint_rollback(before)
                got = {403: "refusal", 404: "nothing"}.get(status, "answer")
                if status == 403:
                    got = body["code"].replace("scope_too_narrow", got)
                    assert "This needs a token with the scope " in body["detail"]
                if got != expected or status == 500:
                    wrong.append((address.name, person, method, status, expected))

    assert wrong == []
    assert row_counts() == world["rows"]


CHANGES_THE_ARCHIVE = {"archive-collection", "unarchive-collection", "api-archive"}


@pytest.mark.by_day(2)
def test_no_address_changes_an_archived_collection(world):
    collection = Collection.objects.get(slug=world["slug"])
    collection.jobs.update(state=State.SUCCEEDED)
    Collection.objects.filter(pk=collection.pk).update(archived_at=timezone.now())
    addresses = [
        address
        for address in ADDRESSES
        if "<slug:slug>" in ROUTES[address.name] and address.name not in CHANGES_THE_ARCHIVE
    ]

    for address in addresses:
        for method in set(address.methods) - {"get"}:
            client = client_for(address.people[0], address.name, world)
            status, *_ = ask(client, method, where(address.name, world))
            assert status in {200, 302, 400, 404, 409, 415, 422}, address.name

    # Downloading all of it and reading about its people can be done, and are recorded.
    changed = {table for table, _ in {*row_counts()} ^ {*world["rows"]}}
    assert changed <= {RecordedAction._meta.db_table}
    assert not collection.jobs.live().exists()
    assert collection.releases.get().public_periods.current().exists()


PARTS = 8  # of the table, so that a failure names few rows and workers share the time


def in_parts(addresses: list[Address]) -> pytest.MarkDecorator:
    parts = [addresses[number::PARTS] for number in range(PARTS)]
    return pytest.mark.parametrize("addresses", parts, ids=[f"part{n}" for n in range(PARTS)])


@in_parts(list(REFUSED))
def test_without_the_role_no_method_answers_and_nothing_changes(addresses, world):
    wrong = []
    for address in addresses:
        people, path = REFUSED[address], where(address.name, world)
        expected = NOTHING_HERE if is_api(address.name) else None
        for person in people:
            client = client_for(person, address.name, world)
            for method in methods_for(address, person, people):
                status, _, body = ask(client, method, path)
                if (status, body) != (address.refuses(method), expected):
                    wrong.append((address.name, person, method, status, body))

    assert wrong == []
    assert row_counts() == world["rows"]


def test_without_a_login_pages_lead_to_it_and_the_api_says_401(world):
    wrong = []
    for address in ADDRESSES:
        if ANONYMOUS in address.people:
            continue
        path = where(address.name, world)
        for method in REFUSED_METHODS:
            status, leads_to, body = ask(a_client(), method, path)
            if is_api(address.name):
                good = status == 401
                good &= not speaks_json(address.name) or body["code"] == "not_authenticated"
            elif address.name in WITHOUT_PROVIDER:
                good = status == 404
            else:
                good = (status, leads_to) == (302, f"{reverse('login')}?next={path}")
            if not good:
                wrong.append((address.name, method, status, leads_to, body))

    assert wrong == []
    assert row_counts() == world["rows"]


# A moved address looks for nothing: the page that it leads to does.
NAMED = [
    each
    for each in ADDRESSES
    if each.people
    and not each.name.startswith("moved-")
    and ROWS & set(re.findall(r"<\w+:(\w+)>", ROUTES[each.name]))
]


def test_what_belongs_to_one_collection_is_not_found_in_another(world):
    assert len(NAMED) > 140
    wrong = []
    for address in NAMED:
        role = address.people[0]
        person = "far-annotator" if role == ANNOTATOR else "far-admin"
        client = client_for(person, address.name, world)
        path = where(address.name, world, world["far"])
        expected = NOTHING_HERE if is_api(address.name) else None
        for method in address.methods:
            status, _, body = ask(client, method, path)
            if (status, body) != (404, expected):
                wrong.append((address.name, person, method, status, body))

    assert wrong == []
    assert row_counts() == world["rows"]
