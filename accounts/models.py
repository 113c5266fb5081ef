"""People, collections, who is what in which collection, and the record of who did what."""

from __future__ import annotations

import secrets

from django.contrib.auth.models import AbstractUser
from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from knox.models import AbstractAuthToken

ADMIN, ANNOTATOR, ADJUDICATOR = "admin", "annotator", "adjudicator"
ROLES = (ADMIN, ANNOTATOR, ADJUDICATOR)
FACETS = ["background", "method", "result"]
GRADES = ["Unrelated", "Related", "Similar", "Near identical"]


class User(AbstractUser):  # type: ignore[django-manager-missing]  # that of its tokens: knox has no types
    """`name` is shown to colleagues; empty, the username is."""

    first_name = last_name = None  # type: ignore[assignment]
    name = models.CharField("Name", max_length=100, blank=True, help_text="As your colleagues know you.")
    erasure_asked_at = models.DateTimeField(null=True, editable=False)

    REQUIRED_FIELDS = ["email"]

    class Meta(AbstractUser.Meta):
        constraints = [
            models.UniqueConstraint(
                Lower("username"),  # log-ins ignore case: "ADMIN" beside "admin" would keep both out
                name="username_once_in_any_case",
                violation_error_message="A user with that username already exists.",
            )
        ]

    def __str__(self) -> str:
        return self.name or self.username

    def get_full_name(self) -> str:
        return str(self)

    get_short_name = get_full_name

    @property
    def may_create_collections(self) -> bool:
        return self.is_superuser or self.memberships.active().filter(is_admin=True).exists()


class CollectionQuerySet(models.QuerySet["Collection"]):
    def visible_to(self, user: User) -> CollectionQuerySet:
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user, memberships__left_at=None)


def new_seed() -> str:
    return secrets.token_hex(8)


def default_grades() -> list[str]:
    return list(GRADES)


class Collection(models.Model):
    """A test collection in the making: its documents, queries, people and what they judged.

    `facets` are names, or empty where queries are ordinary topics and whole papers. Sentences of a facet carry its
    name as label; `merged_labels` maps further labels to a facet ({"objective": "background"}). `grades` are the
    names of the grades from 0 up.
    """

    slug = models.SlugField(
        "Short name", max_length=50, unique=True, help_text="In addresses and file names, such as csfcube."
    )
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True, help_text="What is in it, and what it is for. Markdown.")
    licence = models.CharField(max_length=100, blank=True, help_text="Of the judgments, such as CC-BY-4.0.")
    facets = models.JSONField(default=list, blank=True)
    merged_labels = models.JSONField(default=dict, blank=True)
    grades = models.JSONField(default=default_grades)
    relevant_from = models.PositiveSmallIntegerField(
        "Relevant from grade",
        default=2,
        help_text="The lowest grade that counts as relevant where a measure knows only yes and no.",
    )
    seed = models.CharField(
        max_length=200,
        default=new_seed,
        validators=[RegexValidator(r"^[^|]+$", "A seed has no |.")],
        help_text="Every random order comes from it: the same seed gives the same pools and pages.",
    )
    created_at = models.DateTimeField(default=timezone.now)

    objects = CollectionQuerySet.as_manager()

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    def labels_of(self, facet: str) -> set[str]:
        """The sentence labels that belong to a facet."""
        return {facet, *(label for label, merged in self.merged_labels.items() if merged == facet)}

    @property
    def top_grade(self) -> int:
        return len(self.grades) - 1


class MembershipQuerySet(models.QuerySet["Membership"]):
    def active(self) -> MembershipQuerySet:
        return self.filter(left_at=None)

    def judging(self) -> MembershipQuerySet:
        return self.active().filter(is_annotator=True).select_related("user")


class Membership(models.Model):
    """A person in a collection. Who leaves stays listed, with what they judged.

    `was_admin` stays for good: an admin saw sources and both grades, and cannot unsee them by giving up the role.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.PROTECT, related_name="memberships")
    is_admin = models.BooleanField("Admin", default=False, help_text="Sets up the collection and publishes it.")
    was_admin = models.BooleanField(default=False, editable=False)
    is_annotator = models.BooleanField("Annotator", default=False, help_text="Judges pairs, blind.")
    is_adjudicator = models.BooleanField("Adjudicator", default=False, help_text="Decides disagreements.")
    joined_at = models.DateTimeField(default=timezone.now)
    left_at = models.DateTimeField(null=True, blank=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "user"], name="membership_once"),
            models.CheckConstraint(
                condition=models.Q(is_admin=True) | models.Q(is_annotator=True) | models.Q(is_adjudicator=True),
                name="membership_has_a_role",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.collection}"

    @property
    def roles(self) -> list[str]:
        return [role for role in ROLES if getattr(self, f"is_{role}")]


class Invitation(models.Model):
    """A link for one person, once, for two weeks. Only its hash is stored."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True)
    email = models.EmailField("E-mail", blank=True, help_text="The link is mailed there; without one, you copy it.")
    is_admin = models.BooleanField("Admin", default=False)
    is_annotator = models.BooleanField("Annotator", default=True)
    is_adjudicator = models.BooleanField("Adjudicator", default=False)
    invited_by = models.ForeignKey(User, models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ("-created_at",)

    def __str__(self) -> str:
        return f"invitation to {self.collection}"

    @property
    def roles(self) -> list[str]:
        return [role for role in ROLES if getattr(self, f"is_{role}")]

    @property
    def is_open(self) -> bool:
        return self.accepted_by_id is None and self.expires_at > timezone.now()


class Token(AbstractAuthToken):
    """A key for scripts: they may do what its person may do. Only its hash is stored."""

    name = models.CharField(max_length=100, help_text="Where it is used, such as: scoring on the cluster.")

    class Meta:
        ordering = ("-created",)


class Verb(models.TextChoices):
    CREATED = "created", "Created the collection"
    SETTINGS = "settings", "Changed settings"
    INVITED = "invited", "Invited"
    WITHDREW = "withdrew", "Withdrew an invitation"
    JOINED = "joined", "Joined"
    ROLES = "roles", "Changed roles of"
    REMOVED = "removed", "Removed"
    IMPORTED = "imported", "Imported"
    ADDED = "added", "Added"
    DELETED = "deleted", "Deleted"
    GUIDELINE = "guideline", "Changed the guideline"
    FROZE = "froze", "Froze pools"
    OPENED = "opened", "Opened"
    TOOK = "took", "Took pairs from"
    GAVE = "gave", "Gave pairs to"
    CLOSED = "closed", "Closed"
    REOPENED = "reopened", "Re-opened"
    PUBLISHED = "published", "Published"
    TOKEN = "token", "Made an API token"
    REVOKED = "revoked", "Revoked an API token"
    LOGIN = "login", "Log-in"
    ASKED = "asked", "Asked to be erased"
    ERASED = "erased", "Erased"


class Action(models.Model):
    """Something that somebody did, of those that matter. Written by `accounts.record.record`.

    People are in it as keys only, so that an erased person's name is in no row. `actor` is NULL for a command.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, null=True, related_name="actions")
    actor = models.ForeignKey(User, models.PROTECT, null=True, related_name="actions")
    verb = models.CharField(max_length=12)  # a Verb
    about = models.ForeignKey(User, models.PROTECT, null=True, related_name="actions_about")
    object = models.CharField(max_length=300, blank=True)
    details = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-pk",)
        indexes = [models.Index(fields=["collection", "-id"])]

    def __str__(self) -> str:
        return " ".join(str(part) for part in (self.did, self.about, self.object) if part)

    @property
    def did(self) -> str:
        return Verb(self.verb).label

    @property
    def more(self) -> str:
        """roles: annotator, adjudicator"""
        said = {key: ", ".join(value) if isinstance(value, list) else value for key, value in self.details.items()}
        return "; ".join(f"{key}: {value}" for key, value in said.items())
