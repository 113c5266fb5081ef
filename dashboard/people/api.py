"""The people of a collection in the API, with the rules of the page *People*."""

from __future__ import annotations

from typing import Any

from django.db.models import Prefetch, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from accounts.codes import find_person
from accounts.forms import LONGEST_USERNAME, check_username
from accounts.invitations.addresses import MOST, InvalidLines, Invitee, read_invitees
from accounts.invitations.models import Invitation
from accounts.invitations.services import invite, revoke, send_again, store_only
from accounts.mail.sending import MailNotSent
from accounts.models import OWNERS, Collection, Role, User
from accounts.services import add_membership, create_person, username_in
from dashboard.people.owners import end_judging
from dashboard.services import change_roles
from database.dry_run import rolled_back_if
from web.api.serializers import DryRun, NoKeys, RequestSerializer, found


class PersonAnswer(serializers.Serializer[User]):
    username = serializers.CharField()
    name = serializers.CharField(source="get_full_name")
    roles = serializers.SerializerMethodField(help_text="In this collection.")
    can_log_in = serializers.BooleanField(
        source="is_active", help_text="false for people who were imported with judgments."
    )

    def get_roles(self, person: User) -> list[str]:
        return [membership.role for membership in person.memberships.all()]


class NewRole(RequestSerializer):
    person = serializers.CharField(
        max_length=200,
        help_text="The account code, such as mara:k7f3-x2mq-9hvt. The username is enough for "
        "people in collections that you administer.",
    )
    role = serializers.ChoiceField(Role.choices)


class NewRoles(DryRun):
    roles = serializers.ListField(
        child=serializers.ChoiceField(Role.choices),
        min_length=1,
        help_text="All that the person then has. The others are removed.",
    )


class NewAccount(DryRun):
    username = serializers.CharField(
        max_length=LONGEST_USERNAME,
        validators=[check_username],
        help_text="The collection's short name is added: mara becomes mara@papers.",
    )
    name = serializers.CharField(max_length=150, allow_blank=True, default="")
    role = serializers.ChoiceField(Role.choices)


class NewAccountAnswer(serializers.Serializer[Any]):
    username = serializers.CharField(help_text="With which the person logs in.")
    password = serializers.CharField(
        allow_null=True, help_text="For the first login. It is not shown again; null in a dry run."
    )


def people_of(collection: Collection) -> QuerySet[User]:
    """The people with a role in the collection, with their roles there only."""
    roles = collection.memberships.order_by("role")
    return (
        User.objects.filter(memberships__collection=collection)
        .distinct()
        .order_by("username")
        .prefetch_related(Prefetch("memberships", roles))
    )


class People(CollectionView):
    roles = OWNERS

    @extend_schema(
        summary="The people of the collection and their roles", responses=PersonAnswer(many=True)
    )
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(people_of(self.collection), PersonAnswer)

    @extend_schema(
        summary="Give a person a role",
        description="For a person who has an account. Roles that the person has stay.",
        request=NewRole,
        responses={201: PersonAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        body = self.parsed(NewRole)
        person = find_person(asked_by=self.person, text=body["person"])
        add_membership(collection=self.collection, user=person, role=body["role"])
        return Response(PersonAnswer(people_of(self.collection).get(pk=person.pk)).data, status=201)


class PersonDetail(CollectionView):
    roles = OWNERS

    @extend_schema(summary="A person of the collection", responses=PersonAnswer)
    def get(self, request: Request, slug: str, username: str) -> Response:
        return Response(PersonAnswer(self._person(username)).data)

    @extend_schema(
        operation_id="collections_people_change",  # the list has the usual name of a POST
        summary="Change the roles of a person",
        description="An annotator with pairs to judge and the last admin keep their roles (409). "
        "With `dry_run`, the roles that the person would have.",
        request=NewRoles,
        responses=PersonAnswer,
    )
    def post(self, request: Request, slug: str, username: str) -> Response:
        person = self._person(username)
        body = self.parsed(NewRoles)
        with rolled_back_if(body["dry_run"]):
            change_roles(collection=self.collection, person=person, roles=body["roles"])
            answer = PersonAnswer(self._person(username)).data
        return Response(answer)

    @extend_schema(
        summary="Remove a person from the collection",
        description="All roles here. The account and all judgments stay. An annotator with pairs "
        "to judge and the last admin are not removed (409). With `dry_run`, 200 with the person "
        "who would be removed.",
        parameters=[DryRun],
        responses={200: PersonAnswer, 204: None},
    )
    def delete(self, request: Request, slug: str, username: str) -> Response:
        person = self._person(username)
        is_tried = self.parameters(DryRun).validated_data["dry_run"]
        answer = Response(PersonAnswer(person).data)
        with rolled_back_if(is_tried):
            change_roles(collection=self.collection, person=person, roles=[])
        return answer if is_tried else Response(status=204)

    def _person(self, username: str) -> User:
        return found(people_of(self.collection), username=username)


class EndJudging(CollectionView):
    roles = (Role.OWNER_ANNOTATOR,)

    @extend_schema(
        summary="End judging as an owner-annotator",
        description="You become an admin, and never judge in this collection again. 409 until "
        "every query that you judge is done.",
        request=None,
        responses=PersonAnswer,
    )
    def post(self, request: Request, slug: str) -> Response:
        self.parsed()
        end_judging(collection=self.collection, person=self.person)
        return Response(PersonAnswer(people_of(self.collection).get(pk=self.person.pk)).data)


class Accounts(CollectionView):
    roles = OWNERS

    @extend_schema(
        summary="Create an account with a role",
        description="For a person without an account. An account cannot be deleted. The answer "
        "has the one-time password, which must be changed at the first login.",
        request=NewAccount,
        responses={200: NewAccountAnswer, 201: NewAccountAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        body = self.parsed(NewAccount)
        is_tried = body.pop("dry_run")
        with rolled_back_if(is_tried):
            password = create_person(collection=self.collection, **body)
        username = username_in(self.collection.slug, body["username"])
        answer = {"username": username, "password": None if is_tried else password}
        return Response(NewAccountAnswer(answer).data, status=200 if is_tried else 201)


class InvitationAnswer(serializers.Serializer[Invitation]):
    id = serializers.IntegerField(source="pk")
    email = serializers.EmailField()
    name = serializers.CharField()
    role = serializers.ChoiceField(Role.choices)
    state = serializers.ChoiceField(["open", "expired", "accepted", "revoked"])
    expires_at = serializers.DateTimeField()
    sent_count = serializers.IntegerField(help_text="How often the mail server took the mail.")
    last_sent_at = serializers.DateTimeField(allow_null=True)


class NewInvitations(DryRun):
    people = serializers.ListField(
        child=serializers.CharField(max_length=500),
        min_length=1,
        max_length=MOST,
        help_text="Such as mara@example.org or Mara Lind <mara@example.org>.",
    )
    role = serializers.ChoiceField(Role.choices)

    def validate_people(self, lines: list[str]) -> list[Invitee]:
        try:
            return read_invitees("\n".join(" ".join(line.split()) for line in lines))
        except InvalidLines as error:
            raise serializers.ValidationError(error.faults) from error


class InvitationsAnswer(serializers.Serializer[Any]):
    invited = serializers.IntegerField()
    not_sent = serializers.ListField(
        child=serializers.EmailField(),
        help_text="The mail server failed for these. Send their invitations again.",
    )


class Invitations(CollectionView):
    roles = OWNERS

    @extend_schema(
        summary="The invitations of the collection",
        description="Also those that were accepted or revoked, the oldest first.",
        responses=InvitationAnswer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(self.collection.invitations.all(), InvitationAnswer)

    @extend_schema(
        summary="Invite people by email",
        description="Each gets a mail with a link that works once. An open invitation to the same "
        "role is sent again with a new link.",
        request=NewInvitations,
        responses={200: InvitationsAnswer, 201: InvitationsAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        body = self.parsed(NewInvitations)
        what = {"invitees": body["people"], "role": body["role"]}
        if body["dry_run"]:
            with rolled_back_if(True):
                number = store_only(collection=self.collection, **what)
            return Response(InvitationsAnswer({"invited": number, "not_sent": []}).data)
        sent = invite(
            collection=self.collection,
            invited_by=self.person,
            base_url=request.build_absolute_uri("/"),
            **what,
        )
        failed = [each.invitation.email for each in sent if each.error]
        answer = InvitationsAnswer({"invited": len(sent), "not_sent": failed})
        return Response(answer.data, status=201)


class InvitationDetail(CollectionView):
    roles = OWNERS

    @extend_schema(
        operation_id="collections_invitations_send",  # the list has the usual name of a POST
        summary="Send an invitation again",
        description="With a new link. The old one stops working. 409 if it was accepted or "
        "revoked, 429 if it was just sent, 503 if the mail server fails.",
        request=None,
        responses=InvitationAnswer,
    )
    def post(self, request: Request, slug: str, invitation_id: int) -> Response:
        invitation = self._invitation(invitation_id)
        self.parsed()
        base_url = request.build_absolute_uri("/")
        sent = send_again(invitation=invitation, base_url=base_url)
        if sent.error:
            raise MailNotSent(invitation.email)
        return Response(InvitationAnswer(self._invitation(invitation_id)).data)

    @extend_schema(
        summary="Revoke an invitation",
        description="Its link stops working. 409 if it was accepted or revoked.",
        responses={204: None},
    )
    def delete(self, request: Request, slug: str, invitation_id: int) -> Response:
        invitation = self._invitation(invitation_id)
        self.parameters(NoKeys)
        revoke(invitation=invitation)
        return Response(status=204)

    def _invitation(self, invitation_id: int) -> Invitation:
        return found(self.collection.invitations.all(), pk=invitation_id)
