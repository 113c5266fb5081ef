"""The data of a person in the API: what there is, its export, and erasures by staff."""

from __future__ import annotations

from typing import Any

from django.http import FileResponse, Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.access import row_or_404
from accounts.api import ApiView
from accounts.login.logged_in import find_by_login
from accounts.models import User
from accounts.personal_data.erasing import erase_person, plan_erasure
from accounts.personal_data.exporting import StoredRows, check_may_see, stored_about, zip_of
from accounts.tokens.scopes import EVERY_SCOPE, TokenScope
from web.api.serializers import NoKeys, RequestSerializer

ZIP = {(200, "application/zip"): OpenApiTypes.BINARY}
STAFF_ONLY = "Staff only: for other users, the address does not exist (404)."
NOT_FOR_YOU = (
    " 409 with `not_for_you` if you judge, adjudicate or curate in a collection of the person."
)


class StoredAnswer(serializers.Serializer[StoredRows]):
    file = serializers.CharField(source="rows.file", help_text="In the zip of the export.")
    about = serializers.CharField(source="rows.about")
    number = serializers.IntegerField(help_text="Of rows.")
    fate = serializers.ChoiceField(
        ["removed", "emptied", "kept"],
        source="rows.fate",
        help_text="At an erasure. `emptied` rows stay without addresses and emails, `kept` ones "
        "show a pseudonym.",
    )


class OwnDataAnswer(serializers.Serializer[Any]):
    stored = StoredAnswer(many=True)


class FoundPersonAnswer(serializers.Serializer[User]):
    id = serializers.IntegerField(source="pk")
    username = serializers.CharField(help_text="A pseudonym if the person is erased.")
    erased_at = serializers.DateTimeField(allow_null=True)


class PersonDataAnswer(serializers.Serializer[Any]):
    person = FoundPersonAnswer()
    stored = StoredAnswer(many=True)
    obstacles = serializers.ListField(
        child=serializers.CharField(),
        help_text="What must be done before an erasure; empty if the person can be erased.",
    )


class LoginOfPerson(RequestSerializer):
    login = serializers.CharField(max_length=254, help_text="A username or a confirmed email.")


class NewErasure(RequestSerializer):
    username = serializers.CharField(
        max_length=150, help_text="That of the person, to confirm. An erasure cannot be undone."
    )


class OwnData(ApiView):
    @classmethod
    def scopes_for(cls, method: str) -> frozenset[TokenScope]:  # noqa: ARG003
        return EVERY_SCOPE

    @extend_schema(
        operation_id="personal_data",
        summary="What the server has about you",
        responses=OwnDataAnswer,
    )
    def get(self, request: Request) -> Response:
        self.parameters(NoKeys)
        return Response(OwnDataAnswer({"stored": stored_about(self.person)}).data)


class OwnDataExport(ApiView):
    @extend_schema(
        operation_id="personal_data_export",
        summary="Everything about you, as a zip",
        description="The export is an action in the record.",
        request=None,
        responses=ZIP,
    )
    def post(self, request: Request) -> FileResponse:
        self.parsed()  # refuses every key
        return zip_of(self.person, for_the_person=True)


class StaffView(ApiView):
    """A view for those who run the server."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.check_person()

    def check_person(self) -> None:
        if not self.person.is_staff:
            raise Http404

    def seen(self, person_id: int) -> User:
        """The person of this number. Raises NotForYou."""
        person = row_or_404(User.objects.filter(pk=person_id).first())
        check_may_see(asked_by=self.person, person=person)
        return person


class FoundPerson(StaffView):
    @extend_schema(
        operation_id="personal_data_find",
        summary="Find a person",
        description=f"A POST, so that no log of addresses has the email. {STAFF_ONLY}",
        request=LoginOfPerson,
        responses=FoundPersonAnswer,
    )
    def post(self, request: Request) -> Response:
        login = self.parsed(LoginOfPerson)["login"]
        return Response(FoundPersonAnswer(row_or_404(find_by_login(login.strip()))).data)


class PersonData(StaffView):
    @extend_schema(
        operation_id="personal_data_of_person",
        summary="What the server has about a person, and what an erasure does",
        description=STAFF_ONLY + NOT_FOR_YOU,
        responses=PersonDataAnswer,
    )
    def get(self, request: Request, person_id: int) -> Response:
        self.parameters(NoKeys)
        person = self.seen(person_id)
        plan = plan_erasure(person)
        stored = [*plan.removed, *plan.emptied, *plan.kept]
        answer = {"person": person, "stored": stored, "obstacles": plan.obstacles}
        return Response(PersonDataAnswer(answer).data)


class PersonDataExport(StaffView):
    @extend_schema(
        operation_id="personal_data_export_person",
        summary="Everything about a person, as a zip for this person",
        description="It lacks what only the person may see now, such as judgments of pairs with "
        f"one judgment. The export is an action in the record. {STAFF_ONLY}{NOT_FOR_YOU}",
        request=None,
        responses=ZIP,
    )
    def post(self, request: Request, person_id: int) -> FileResponse:
        self.parsed()  # refuses every key
        person = self.seen(person_id)
        return zip_of(person, for_the_person=person == self.person)


class PersonErasure(StaffView):
    @extend_schema(
        operation_id="personal_data_erase_person",
        summary="Erase a person",
        description="Judgments stay under a pseudonym. 400 with `wrong_username`. 409 with "
        f"`cannot_erase` and the reason, and with `already_erased`. {STAFF_ONLY}{NOT_FOR_YOU}",
        request=NewErasure,
        responses=FoundPersonAnswer,
    )
    def post(self, request: Request, person_id: int) -> Response:
        person = self.seen(person_id)
        erase_person(person=person, typed=self.parsed(NewErasure)["username"])
        person.refresh_from_db()
        return Response(FoundPersonAnswer(person).data)
