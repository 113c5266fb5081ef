"""The one list of the docs' page that helps with each page of the product.

A page that is not in it leads to the first page of the docs. A test compares the list with all
addresses, and every page and part of the docs with those that there are.
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.urls import reverse

from dashboard.help.rendering import INDEX

DOCS = Path(settings.BASE_DIR) / "docs"
# A page of the docs, and a part of it after "#": the URL names of the pages that it helps with.
PAGES_HELPED: dict[str, tuple[str, ...]] = {
    "index": ("home", "help", "help-index", "search"),
    "quickstart": ("collection",),
    "quickstart#2-a-collection-and-its-people": ("new-collection",),
    "quickstart#4-queries": ("queries", "query", "add-query"),
    "quickstart#5-runs-and-pools": ("runs",),
    "quickstart#6-judging": ("board",),
    "judging": ("judge", "judge-query", "judge-mine", "judge-pair"),
    "pilot_rounds": (
        *("pilots", "new-pilot", "pilot", "pilot-meeting"),
        *("practice", "practice-query", "practice-mine", "practice-pair", "practice-guideline"),
    ),
    "judging#owners-who-judge": ("set-up",),
    "judging#beside-a-case": ("case",),
    "mechanism_alignment": ("judge-proposal",),
    "mechanism_alignment#the-study": ("alignment",),
    "questions_to_judges": ("case-questions",),
    "questions_to_judges#for-a-judge-who-is-asked": ("judge-question",),
    "quickstart#7-adjudication": ("adjudicate", "adjudicate-query", "adjudicate-decided"),
    "ordinary_topics": ("import-topics", "topic"),
    "formats": ("import-documents", "document-imports", "documents", "document"),
    "labels": ("labels",),
    "checking_labels": ("check-document",),
    "choosing_queries": (
        *("samples", "sample", "draw-sample", "paper-types", "screen", "screen-mine"),
        *("screen-paper", "choose-queries", "query-choice"),
    ),
    "retrievers": ("add-run", "retrieve", "import-run", "import-embeddings"),
    "pooling": ("pools", "pool"),
    "yields": ("yields",),
    "pooling#which-models": ("choose-models",),
    "pooling#building-pools": ("plan-pools",),
    "top_ups": ("pool-rounds",),
    "pooling#comparing-two-plans": ("compare-plans",),
    "judging_plans": ("plan-judging",),
    "judgments": ("import-judgments",),
    "asking_the_admin": ("ask-admin", "ask-admin-about-case", "own-help-requests"),
    "asking_the_admin#for-admins": ("help-requests", "help-request"),
    "guidelines": ("guidelines", "guideline", "guideline-text"),
    "qualification": ("training", "training-set", "training-result"),
    "glossary": ("seat", "rebalance"),
    "decide_again": ("referrals",),
    "blind_ratings": ("blind-ratings",),
    "observing": ("server-state",),
    "full_text_study": (
        *("import-full-texts", "full-text", "studies", "new-study", "study"),
        *("full-text-studies", "own-study", "rate-pair"),
    ),
    "statistics": ("agreement",),
    "statistics#self-consistency-and-drift": ("consistency",),
    "evaluation": ("leaderboard", "system", "add-system"),
    "significance": ("compare-systems", "ranked-lists"),
    "error_browser": ("error-browser",),
    "gaps": ("gaps",),
    "corpus_sizes": ("corpus-sizes",),
    "pool_bias": ("pool-bias",),
    "label_effects": ("label-effects",),
    "shadow_judges": ("shadow-judge", "import-shadow-judge"),
    "asking_models": ("ask-model",),
    "prediction_powered": ("estimates",),
    "release": ("release",),
    "release#checks-before-a-release": ("releases", "publish"),
    "citation_labels#errors-of-the-labels": ("label-samples", "label-sample"),
    "release#the-display-proof": ("display-proof",),
    "release#the-blindness-check": ("blindness",),
    "release#public-releases": ("public-releases", "public-release"),
    "release#the-page-of-a-version": ("release-changes",),
    "datasheet": ("datasheet", "own-profiles", "own-profile"),
    "errata": ("errata", "erratum", "report-erratum", "report-public-erratum"),
    "api": ("api-docs", "account"),
    "api#tokens": ("tokens",),
    "accounts": (
        *("login", "account_login", "account_reauthenticate", "account_change_password"),
        *("account_email", "account_confirm_email", "mails", "mail"),
    ),
    "accounts#invitations": ("invite-people", "invitation"),
    "accounts#lost-passwords": (
        *("account_reset_password", "account_reset_password_done", "new-password"),
        *("account_reset_password_from_key", "account_reset_password_from_key_done"),
    ),
    "accounts#second-factors": (
        *("mfa_index", "mfa_authenticate", "mfa_activate_totp", "mfa_view_recovery_codes"),
        *("mfa_list_webauthn", "mfa_add_webauthn"),
    ),
    "institution_login": ("institution-login", "institution-confirm"),
    "accounts#sessions": ("usersessions_list",),
    "deadlines": ("deadlines",),
    "notices": ("notice-choice", "stop-notices"),
    "deployment#accounts": ("my-collections", "people", "person", "add-person", "timesheet"),
    "deployment#health": ("jobs", "job"),
    "record": ("record", "server-record"),
    "personal_data": ("own-data", "privacy"),
    "personal_data#consent": ("consent", "consent-texts"),
    "personal_data#erase-a-person": ("find-person", "person-data"),
    "deployment#licences-of-a-collection": ("collection-settings",),
    "deployment#archive-and-delete-a-collection": ("delete-collection",),
}
_BY_URL_NAME = {name: page for page, names in PAGES_HELPED.items() for name in names}


def help_url(url_name: str) -> str:
    """The address of the docs' page that helps with the page of that URL name."""
    page, hash_sign, part = _BY_URL_NAME.get(url_name, INDEX).partition("#")
    address = reverse("help-index") if page == INDEX else reverse("help", args=[page])
    return f"{address}{hash_sign}{part}"
