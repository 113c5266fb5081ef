"""People, the collections they work on, and in which role."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from django.contrib.auth.models import AbstractUser
from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext, gettext_lazy, gettext_noop

from accounts.actions.models import RecordedAction  # noqa: F401  (a model of this app)
from accounts.judging_rules import HIGHEST_REPEAT_SHARE, PROPOSALS, JudgingRules
from accounts.tokens.models import ApiToken

__all__ = ["ApiToken", "Collection", "GivenRole", "Membership", "Role", "User"]


class User(AbstractUser):
    """A person. Imported people have a name but can never log in."""

    must_change_password = models.BooleanField(
        default=False, help_text="The password is a one-time password and must be changed."
    )
    language = models.CharField(
        max_length=16,
        blank=True,
        default="",
        db_default="",
        help_text="The language of the pages, such as de; empty for the browser's.",
    )
    erased_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when the username is a pseudonym."
    )
    erased_name = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        db_index=True,
        help_text="A digest of the username before, so that no import revives it.",
    )

    class Meta(AbstractUser.Meta):
        constraints = [
            models.CheckConstraint(
                condition=models.Q(erased_at=None, erased_name="")
                | (
                    models.Q(erased_at__isnull=False, is_active=False, password__startswith="!")
                    & models.Q(first_name="", last_name="", email="", last_login=None)
                    & models.Q(is_staff=False, is_superuser=False)
                    & ~models.Q(erased_name="")
                ),
                name="user_erased_has_no_name_and_no_login",
            ),
        ]

    @property
    def shown_name(self) -> str:
        return self.get_full_name() or self.username


class Role(models.TextChoices):
    ADMIN = "admin", gettext_lazy("Admin")
    ANNOTATOR = "annotator", gettext_lazy("Annotator")
    ADJUDICATOR = "adjudicator", gettext_lazy("Adjudicator")
    CURATOR = "curator", gettext_lazy("Curator")
    # Sets up the collection and judges in it. Sees no pools, runs or reports until it has ended
    # judging, and is an admin from then on (ADR 56).
    OWNER_ANNOTATOR = "owner-annotator", gettext_lazy("Owner-annotator")

    @property
    def phrase(self) -> str:
        """The role with its article, within a sentence: "an admin"."""
        return gettext(_PHRASES[self.value])


_PHRASES = {
    "admin": gettext_noop("an admin"),
    "annotator": gettext_noop("an annotator"),
    "adjudicator": gettext_noop("an adjudicator"),
    "curator": gettext_noop("a curator"),
    "owner-annotator": gettext_noop("an owner-annotator"),
}

EVERY_ROLE = tuple(Role.values)
SEE_GRADES = (Role.ADMIN, Role.ADJUDICATOR)  # the roles that see the grades of others
JUDGES = (Role.ANNOTATOR, Role.OWNER_ANNOTATOR)  # the roles that judge; in SQL: rules.py
JUDGES_AND_ADJUDICATORS = (*JUDGES, Role.ADJUDICATOR)
OWNERS = (Role.ADMIN, Role.OWNER_ANNOTATOR)  # the roles that set up the collection
UNFINISHED = "importing-"  # how the short name of a collection begins while it is imported


class CollectionQuerySet(models.QuerySet["Collection"]):
    def finished(self) -> CollectionQuerySet:
        return self.exclude(slug__startswith=UNFINISHED)

    def active(self) -> CollectionQuerySet:
        return self.filter(archived_at=None)

    def visible_to(self, user: User) -> CollectionQuerySet:
        return self.filter(memberships__user=user).distinct()

    def with_role(self, user: User, roles: Iterable[str]) -> CollectionQuerySet:
        return self.filter(memberships__user=user, memberships__role__in=list(roles)).distinct()


HIGHEST_GRADE = 4  # of the longest scale, which has five grades


def new_seed() -> str:
    return secrets.token_hex(8)


class Collection(models.Model):
    """A test collection. Roles and all data belong to a collection."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    licence = models.CharField(
        max_length=120, blank=True, help_text="An SPDX identifier, such as CC-BY-4.0."
    )
    corpus_licence = models.CharField(
        max_length=120,
        blank=True,
        default="",
        help_text="The licence of the documents' texts. A release contains texts only with it.",
    )
    seed = models.CharField(
        max_length=64,
        default=new_seed,
        help_text="Determines every random order in this collection.",
    )
    seconds_per_judgment = models.FloatField(default=15.0, validators=[MinValueValidator(0.1)])
    highest_grade = models.PositiveSmallIntegerField(
        default=3, help_text="The grades are 0 to this one. It is fixed once a query is open."
    )
    relevant_from = models.PositiveSmallIntegerField(
        default=2, help_text="This grade and the higher ones count as relevant."
    )
    agreement_rule = models.CharField(
        max_length=40,
        blank=True,
        default="",
        help_text="The coefficient by which queries are flagged; empty for none.",
    )
    agreement_threshold = models.FloatField(
        default=0.0, help_text="A query whose lower bound is below it is flagged."
    )
    marks_aspects = models.BooleanField(
        default=False, help_text="Judges may mark what a match is about."
    )
    grades_blind_first = models.BooleanField(
        default=False, help_text="The adjudicator grades a case before seeing the two judgments."
    )
    spot_check_share = models.FloatField(
        default=0.0, help_text="The share of agreed pairs that the adjudicator grades, too."
    )
    repeat_share = models.FloatField(
        default=0.0, help_text="The share of a judge's own pairs that come a second time."
    )
    qualifying_rho = models.FloatField(
        null=True, blank=True, help_text="The least Spearman ρ in training of who judges, if any."
    )
    senior_rho = models.FloatField(
        null=True, blank=True, help_text="The least Spearman ρ of who adjudicates, if any."
    )
    proposes_grades = models.CharField(
        max_length=4,
        blank=True,
        default="",
        db_default="",
        help_text="In which queries, of those opened from then on, judges are proposed the grade "
        "that the marked steps of a method suggest: none, all, or half of them.",
    )
    admins_need_second_factor = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Admins and owner-annotators need a second factor to open it.",
    )
    consent_version = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="The version of the consent text that judges are asked for; 0 for none.",
    )
    corpus_version = models.PositiveBigIntegerField(
        default=0, help_text="Increases with every change to the documents."
    )
    analysis = models.CharField(
        max_length=40,
        blank=True,
        default="",
        help_text="How the usual retrievers compare words, such as english; empty until "
        "documents show the language.",
    )
    document_language = models.CharField(
        max_length=35,
        blank=True,
        default="en",
        db_default="en",
        help_text="The language of the documents' texts, such as en, ja or ar; empty if they are "
        "in several. Browsers choose fonts and line breaks by it.",
    )
    archived_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when it can be read but not changed."
    )
    exported_at = models.DateTimeField(
        null=True, blank=True, help_text="When all of it was last downloaded, while archived."
    )
    exported_rows = models.JSONField(
        default=dict, blank=True, help_text="How many rows of each table that download had."
    )
    deletion_began_at = models.DateTimeField(
        null=True, blank=True, help_text="From then on, its rows and files may be deleted."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CollectionQuerySet.as_manager()

    class Meta:
        ordering = ["name", "slug"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(highest_grade__range=(1, HIGHEST_GRADE)),
                name="collection_has_two_to_five_grades",
            ),
            models.CheckConstraint(
                condition=models.Q(relevant_from__gte=1)
                & models.Q(relevant_from__lte=models.F("highest_grade")),
                name="collection_relevant_from_is_a_grade",
            ),
            models.CheckConstraint(
                condition=models.Q(spot_check_share__range=(0, 1))
                & models.Q(repeat_share__range=(0, HIGHEST_REPEAT_SHARE)),
                name="collection_shares_in_range",
            ),
            models.CheckConstraint(
                condition=(models.Q(qualifying_rho=None) | models.Q(qualifying_rho__range=(-1, 1)))
                & (models.Q(senior_rho=None) | models.Q(senior_rho__range=(-1, 1))),
                name="collection_rho_in_range",
            ),
            models.CheckConstraint(
                condition=models.Q(proposes_grades__in=[value for value, _ in PROPOSALS]),
                name="collection_proposal_known",
            ),
            models.CheckConstraint(
                condition=models.Q(exported_at=None) | models.Q(archived_at__isnull=False),
                name="collection_exported_while_archived",
            ),
            models.CheckConstraint(
                condition=models.Q(deletion_began_at=None) | models.Q(exported_at__isnull=False),
                name="collection_deleted_after_export",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def grades(self) -> range:
        """The grades of its scale, from 0."""
        return range(self.highest_grade + 1)

    @property
    def judging_rules(self) -> JudgingRules:
        return JudgingRules(*(getattr(self, name) for name in JudgingRules._fields))

    @property
    def is_archived(self) -> bool:
        return self.archived_at is not None


class Membership(models.Model):
    collection = models.ForeignKey(Collection, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["role", "user__username"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "user", "role"], name="membership_role_once"
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="membership_role_known"
            ),
            # An admin sees where candidates come from, so an admin cannot judge blind. An index
            # holds even between two transactions that cannot see each other; a trigger would not.
            models.UniqueConstraint(
                fields=["collection", "user"],
                condition=models.Q(role__in=[Role.ADMIN, Role.ANNOTATOR, Role.OWNER_ANNOTATOR]),
                name="membership_admin_never_annotator",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.role} of {self.collection}"


class GivenRole(models.Model):
    """A role that a person was ever given in a collection. It stays when the role is removed.

    A trigger writes it for every membership. A person who was an admin has seen where candidates
    come from and how others judged, so he or she never judges in this collection again.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="given_roles")
    user = models.ForeignKey(User, models.PROTECT, related_name="given_roles")
    role = models.CharField(max_length=16, choices=Role)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "collection", "role"], name="given_role_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} was {self.role} of {self.collection}"


from accounts.invitations.models import Invitation  # noqa: E402, F401 (it refers to the models above)
from accounts.personal_data.models import RetentionRun  # noqa: E402, F401 (a model of this app)
