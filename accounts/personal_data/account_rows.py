"""The rows about people in the room accounts, and in the packages of the login."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.db.models import Q
from django.utils.translation import gettext_noop

from accounts.models import OWNERS, Membership, User
from accounts.personal_data.registry import Fate, leave_out, obstacle, register_rows

COLLECTION = "collection=collection__slug"


def emails_of(person: User) -> set[str]:
    """All emails of the account, in lower case."""
    stored = EmailAddress.objects.filter(user=person).values_list("email", flat=True)
    return {email.lower() for email in (*stored, person.email) if email}


def invitations_to(person: User) -> Q:
    """Those that the person accepted, and all others to the emails of the account."""
    return Q(accepted_by=person) | Q(email__in=emails_of(person))


register_rows(
    "account",
    gettext_noop("The account."),
    *("username", "first_name", "last_name", "email", "language", "date_joined", "last_login"),
    *("is_active", "is_staff", "is_superuser", "must_change_password"),
    model="accounts.User",
    people=["id"],
)
register_rows(
    "emails",
    gettext_noop("The emails of the account."),
    *("email", "verified", "primary"),
    model="account.EmailAddress",
    people=["user"],
    fate=Fate.REMOVED,
)
register_rows(
    "roles",
    gettext_noop("The roles in collections."),
    *(COLLECTION, "role", "created_at"),
    model="accounts.Membership",
    people=["user"],
    fate=Fate.REMOVED,
)
register_rows(
    "former_roles",
    gettext_noop("Every role ever given. Who was an admin never judges again."),
    *(COLLECTION, "role"),
    model="accounts.GivenRole",
    people=["user"],
)
register_rows(
    "sessions",
    gettext_noop("Where the account is logged in."),
    *("created_at", "last_seen_at", "ip", "user_agent"),
    model="usersessions.UserSession",
    people=["user"],
    fate=Fate.REMOVED,
)
register_rows(
    "second_factors",
    gettext_noop("The second factors, without their secrets."),
    *("type", "name=data__name", "created_at", "last_used_at"),
    model="mfa.Authenticator",
    people=["user"],
    fate=Fate.REMOVED,
)
register_rows(
    "institution_logins",
    gettext_noop("Logins of an institution that lead to the account."),
    *("provider", "email=extra_data__email", "date_joined", "last_login"),
    model="socialaccount.SocialAccount",
    people=["user"],
    fate=Fate.REMOVED,
)
register_rows(
    "tokens",
    gettext_noop("The tokens of the API, without the tokens themselves."),
    *("name", "scope", "created_at", "expires_at", "last_used_at", "revoked_at"),
    model="accounts.ApiToken",
    people=["user"],
    fate=Fate.REMOVED,
)
register_rows(
    "invitations",
    gettext_noop("Invitations to the emails of the account, and those that it accepted."),
    *(COLLECTION, "email", "name", "role", "created_at", "last_sent_at", "expires_at"),
    *("accepted_at", "revoked_at"),
    model="accounts.Invitation",
    people=["accepted_by"],
    found=invitations_to,
    fate=Fate.REMOVED,
)
register_rows(
    "invitations_sent",
    gettext_noop("Invitations of other people, without their names and emails."),
    *(COLLECTION, "role", "created_at"),
    model="accounts.Invitation",
    people=["invited_by"],
)
register_rows(
    "actions",
    gettext_noop("What the person did, as the record of actions has it."),
    *("at", "kind", "collection=collection_slug", "subject_kind", "details", "way", "tool"),
    *("address", "agent"),
    model="accounts.RecordedAction",
    people=["person"],
    fate=Fate.EMPTIED,
    emptied={"address": "", "agent": ""},
)
register_rows(
    "actions_about",
    gettext_noop("What was done about the person, as the record of actions has it."),
    *("at", "kind", "collection=collection_slug", "details", "way"),
    model="accounts.RecordedAction",
    people=["about"],
)
leave_out(
    "Groups and permissions of Django, which Qrelsmith does not use.",
    "accounts.User_groups.user",
    "accounts.User_user_permissions.user",
)


@obstacle
def only_owner_of(person: User) -> list[str]:
    """The collections that no other person could set up."""
    return [
        f"This is the only admin or owner-annotator of {own.collection} who can log in. Make "
        "another person an admin first."
        for own in Membership.objects.filter(user=person, role__in=OWNERS).select_related(
            "collection"
        )
        if not own.collection.memberships.filter(role__in=OWNERS, user__is_active=True)
        .exclude(user=person)
        .exists()
    ]
