"""Closed lists of the record: kinds of actions, ways in which they are done, and subjects."""

from __future__ import annotations

from django.db.models import TextChoices


class ActionKind(TextChoices):
    # People
    PERSON_INVITED = "person-invited", "Invited a person"
    INVITATION_SENT_AGAIN = "invitation-sent-again", "Sent an invitation again"
    INVITATION_REVOKED = "invitation-revoked", "Revoked an invitation"
    ACCOUNT_CREATED = "account-created", "Created an account"
    ROLE_GIVEN = "role-given", "Gave a role"
    ROLE_REMOVED = "role-removed", "Removed a role"
    JUDGING_ENDED = "judging-ended", "Ended judging, to become an admin"
    PASSWORD_LINK_MADE = "password-link-made", "Made a password link"
    PASSWORD_CHANGED = "password-changed", "Changed the password"
    PASSWORD_RESET = "password-reset", "Reset the password with a link"
    SECOND_FACTOR_ADDED = "second-factor-added", "Added a second factor"
    SECOND_FACTOR_REMOVED = "second-factor-removed", "Removed a second factor"
    SECOND_FACTOR_RESET = "second-factor-reset", "Reset a second factor"
    RECOVERY_CODES_MADE = "recovery-codes-made", "Made recovery codes"
    EMAIL_CONFIRMED = "email-confirmed", "Confirmed an email"
    EMAIL_REMOVED = "email-removed", "Removed an email"
    MAIN_EMAIL_CHOSEN = "main-email-chosen", "Chose the main email"
    SESSIONS_ENDED = "sessions-ended", "Ended other logins"
    IDENTITY_LINKED = "identity-linked", "Linked a login of the institution"
    IDENTITY_UNLINKED = "identity-unlinked", "Removed a login of the institution"
    TOKEN_MADE = "token-made", "Made an API token"
    TOKEN_REVOKED = "token-revoked", "Revoked an API token"
    LOGGED_IN = "logged-in", "Logged in"
    LOGIN_LIMIT_REACHED = "login-limit-reached", "Reached the limit of tries to log in"
    PERSON_EXPORTED = "person-exported", "Exported everything about a person"
    PERSON_ERASED = "person-erased", "Erased a person"
    # The collection
    COLLECTION_CREATED = "collection-created", "Created the collection"
    COLLECTION_IMPORTED = "collection-imported", "Imported the collection from a release"
    SETTINGS_CHANGED = "settings-changed", "Changed settings"
    COLLECTION_ARCHIVED = "collection-archived", "Archived the collection"
    COLLECTION_UNARCHIVED = "collection-unarchived", "Unarchived the collection"
    COLLECTION_EXPORTED = "collection-exported", "Downloaded the collection"
    DELETION_BEGUN = "deletion-begun", "Began to delete the collection"
    COLLECTION_DELETED = "collection-deleted", "Deleted the collection"
    # The corpus and the pools
    DOCUMENTS_IMPORTED = "documents-imported", "Imported documents"
    QUERIES_ADDED = "queries-added", "Added queries"
    QUERY_REMOVED = "query-removed", "Removed a query"
    POOLS_FROZEN = "pools-frozen", "Froze pools"
    POOLS_TOPPED_UP = "pools-topped-up", "Added a pool round"
    # Judging
    QUERY_OPENED = "query-opened", "Opened a query"
    NEW_PAIRS_OPENED = "new-pairs-opened", "Opened new pairs of a query"
    PAIRS_REASSIGNED = "pairs-reassigned", "Handed pairs over"
    GUIDELINE_CHANGED = "guideline-changed", "Wrote a guideline version"
    GUIDELINE_APPLIED = "guideline-applied", "Applied a guideline version"
    QUALIFICATION_GIVEN = "qualification-given", "Gave a qualification"
    QUALIFICATION_WITHDRAWN = "qualification-withdrawn", "Withdrew a qualification"
    PAIR_REFERRED = "pair-referred", "Had a pair decided again"
    JUDGMENTS_IMPORTED = "judgments-imported", "Imported judgments"
    GRADES_DOWNLOADED = "grades-downloaded", "Downloaded grades"
    # Releases
    FINDING_ACCEPTED = "finding-accepted", "Accepted a finding of the gate"
    RELEASE_PUBLISHED = "release-published", "Published a release"
    RELEASE_MADE_PUBLIC = "release-made-public", "Made a release public"
    RELEASE_WITHDRAWN = "release-withdrawn", "Made a release private"
    ERRATUM_DECIDED = "erratum-decided", "Answered an erratum"
    # Reading
    PERSON_READ = "person-read", "Read another person's data"
    RECORD_EXPORTED = "record-exported", "Downloaded the record"


class ActionWay(TextChoices):
    PAGE = "page", "Page"
    API = "api", "API"
    COMMAND = "command", "Command"
    JOB = "job", "Job"
    SERVER = "server", "Server"  # by itself, or code at a Python prompt


class SubjectKind(TextChoices):
    NONE = "", "Nothing"
    PERSON = "person", "Person"
    PEOPLE = "people", "People"
    QUERY = "query", "Query"
    PAIR = "pair", "Pair"
    FACET = "facet", "Facet"
    POOL_ROUND = "pool-round", "Pool round"
    RELEASE = "release", "Release"
    CHECK = "check", "Check of the gate"
    ERRATUM = "erratum", "Erratum"


# Harmless values only: no text of a document, no grade, no name and no address of a person.
DETAILS = frozenset(
    {
        *("role", "version", "changed", "reason", "answer", "recipient", "level", "page"),
        *("queries", "pairs", "pools", "documents", "judgments", "decisions", "errata", "actions"),
        *("query", "seat", "round", "judged_again", "first_round", "format", "scope"),
        *("factor", "sessions"),
    }
)
