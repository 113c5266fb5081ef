"""Second factors: how they are set up, asked for, required, and not guessed."""

from __future__ import annotations

import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from allauth.usersessions.models import UserSession
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.actions.kinds import ActionKind
from accounts.login.second_factors import has_second_factor
from accounts.models import Collection, User
from tests.support.action_scenes import of_own_account
from tests.support.api_world import client_of, token_of
from tests.support.factories import PASSWORD, UserFactory, a_collection
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
CODE = reverse("mfa_authenticate")


@once_a_file
def person() -> User:
    return UserFactory(username="person")


def code_now(secret: str = SECRET, *, steps: int = 0) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps))


def with_app(person: User) -> User:
    TOTP.activate(person, SECRET)
    return person


def log_in(client: Client | None = None, username: str = "person") -> Client:
    client = client or Client()
    client.post(reverse("login"), {"login": username, "password": PASSWORD})
    return client


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_an_app_is_set_up_after_the_password_was_confirmed_and_ends_other_logins(
    person, django_capture_on_commit_callbacks
):
    here, elsewhere = log_in(), log_in()
    page = reverse("mfa_activate_totp")
    assert here.get(page).url.startswith(reverse("account_reauthenticate"))
    here.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    assert "QR code of the secret" in here.get(page).text
    secret = here.session["mfa.totp.secret"]

    wrong = here.post(page, {"code": "000000"})
    with django_capture_on_commit_callbacks(execute=True):
        right = here.post(page, {"code": code_now(secret)}, follow=True)

    assert "Wrong code" in wrong.text
    assert "10 of 10 codes are unused" in right.text
    assert has_second_factor(person)
    stored = Authenticator.objects.get(type="totp")
    assert secret not in str(stored.data)
    assert (is_in(here), elsewhere.get(reverse("account")).status_code) == (True, 302)
    assert of_own_account(person) == [
        (ActionKind.SECOND_FACTOR_ADDED, {"factor": "app"}),
        (ActionKind.RECOVERY_CODES_MADE, {}),
        (ActionKind.SESSIONS_ENDED, {"sessions": 1}),
    ]


def test_codes_made_again_and_a_removed_app_are_of_own_account(person):
    RecoveryCodes.activate(with_app(person))
    client = log_in()
    client.post(CODE, {"code": code_now()})

    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    wrong = client.post(reverse("mfa_remove_webauthn", args=[1]))
    client.post(reverse("mfa_generate_recovery_codes"))
    client.post(reverse("mfa_deactivate_totp"))
    client.post(reverse("mfa_deactivate_totp"))

    assert wrong.status_code == 404
    assert of_own_account(person) == [
        (ActionKind.RECOVERY_CODES_MADE, {}),
        (ActionKind.SECOND_FACTOR_REMOVED, {"factor": "app"}),
    ]
    assert not Authenticator.objects.exists()


def test_a_login_needs_the_code_and_a_code_works_once(person):
    with_app(person)
    client, code = log_in(), code_now()
    assert not is_in(client)
    assert client.get(reverse("home")).url.startswith(reverse("login"))
    assert client.get("/api/v1/collections/").status_code == 401

    client.post(CODE, {"code": code})
    assert is_in(client)

    other = log_in()
    assert "Wrong code" in other.post(CODE, {"code": code}).text
    assert not is_in(other)


def test_a_recovery_code_works_once(person):
    with_app(person)
    rows = RecoveryCodes.activate(person)
    code = rows.get_unused_codes()[0]
    first, second = log_in(), log_in()

    first.post(CODE, {"code": code})
    second.post(CODE, {"code": code})

    assert (is_in(first), is_in(second)) == (True, False)


def test_codes_are_guessed_only_a_few_times_whatever_the_network(person):
    with_app(person)
    for number in range(5):
        log_in().post(CODE, {"code": "000000"}, REMOTE_ADDR=f"198.51.100.{number}")

    last = log_in().post(CODE, {"code": code_now()}, REMOTE_ADDR="203.0.113.9")

    assert "Too many wrong codes" in last.text
    # Only who knows the password comes so far, so a stranger cannot lock a person out.
    other = with_app(UserFactory(username="other"))
    client = log_in(username=other.username)
    client.post(CODE, {"code": code_now()})
    assert is_in(client)


@pytest.mark.parametrize("wrong", ["[]", "{}", '{"response": {"userHandle": "MQ"}}', "no"])
def test_a_made_up_passkey_logs_no_one_in(person, wrong):
    client = Client()
    options = client.get(reverse("mfa_login_webauthn"), headers={"accept": "application/json"})
    assert options.json()["request_options"]["publicKey"]["challenge"]

    client.post(reverse("mfa_login_webauthn"), {"credential": wrong})

    assert not is_in(client)


class TestRequired:
    @pytest.fixture
    def collection(self) -> Collection:
        collection = a_collection()
        Collection.objects.update(admins_need_second_factor=True)
        return collection

    def answers(self, username: str) -> tuple[int, int, int]:
        """The statuses of a page, and of the API with a session and with a token."""
        client = Client()
        client.force_login(User.objects.get(username=username))
        token = {"Authorization": f"Token {token_of(username)}"}
        page = client.get("/c/small/people/" if username == "admin" else "/c/small/judge/")
        api = "/api/v1/collections/small/"
        return (
            page.status_code,
            client.get(api).status_code,
            Client().get(api, headers=token).status_code,
        )

    def test_a_collection_requires_it_of_its_admins_alone(self, collection):
        assert self.answers("admin") == (302, 403, 403)
        assert self.answers("ann1") == (200, 200, 200)

        with_app(User.objects.get(username="admin"))

        assert self.answers("admin") == (200, 200, 200)

    def test_the_admin_is_led_to_where_it_is_set_up(self, collection, client):
        client.force_login(User.objects.get(username="admin"))

        page = client.get("/c/small/", follow=True)
        part = client.get("/c/small/", headers={"HX-Request": "true"})
        script = client.post("/c/small/people/role/", headers={"accept": "application/json"})

        assert page.request["PATH_INFO"] == reverse("mfa_index")
        assert "requires a second factor of its admins. Set one up first." in page.text
        assert part["HX-Redirect"] == reverse("mfa_index")
        assert (script.status_code, script.json()["error"]) == (403, "SecondFactorRequired")

    def test_the_settings_turn_it_on_and_ask_the_admin_at_once(self, client):
        a_collection()
        admin = with_app(User.objects.get(username="admin"))
        client.force_login(admin)
        page = client.get("/c/small/settings/")
        values = page.context["form"].initial | {"admins_need_second_factor": "on"}

        client.post("/c/small/settings/", {k: v for k, v in values.items() if v is not None})

        assert Collection.objects.get().admins_need_second_factor

    def test_the_api_turns_it_on_and_asks_the_admin_at_once(self):
        collection = a_collection()
        api, address = client_of("admin"), "/api/v1/collections/small/second-factor/"
        rule = {"admins_need_second_factor": True}
        for wrong in ({}, {"admins_need_second_factor": "perhaps"}, {**rule, "seed": "1"}):
            assert api.post(address, wrong, format="json").status_code == 400

        turned_on = api.post(address, rule, format="json")

        assert (turned_on.status_code, turned_on.json()) == (200, rule)
        assert (api.get(address).status_code, self.answers("ann1")) == (403, (200, 200, 200))
        with_app(User.objects.get(username="admin"))
        assert api.get(address).json() == rule
        (action,) = collection.actions.filter(kind=ActionKind.SETTINGS_CHANGED)
        assert action.details == {"changed": ["admins_need_second_factor"]}

    def test_a_server_requires_it_of_everyone(self, settings):
        a_collection()
        settings.SECOND_FACTOR_REQUIRED = True
        client = Client()
        client.force_login(User.objects.get(username="ann1"))

        assert client.get("/c/small/judge/").url == reverse("mfa_index")
        assert client.get("/api/v1/collections/").status_code == 403
        assert client.get(reverse("mfa_index")).status_code == 200
        with_app(User.objects.get(username="ann1"))
        assert client.get("/c/small/judge/").status_code == 200
        assert client.get("/api/v1/collections/").status_code == 200

    def test_nobody_is_asked_where_nothing_is_required(self, client):
        a_collection()
        client.force_login(User.objects.get(username="ann1"))

        queries = queries_of(client, "/c/small/judge/")

        assert not [each for each in queries if "mfa_" in each or "usersession" in each]


def queries_of(client: Client, path: str) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        client.get(path)
    return [query["sql"] for query in captured.captured_queries]


def test_the_command_removes_the_factors_of_who_lost_them(person, capsys):
    RecoveryCodes.activate(with_app(person))

    call_command("remove_second_factors", "person")

    assert "2 second factors removed" in capsys.readouterr().out
    assert is_in(log_in())


def test_sessions_are_listed_and_the_others_end(person):
    here, elsewhere = Client(HTTP_USER_AGENT="Firefox"), Client(HTTP_USER_AGENT="A phone")
    log_in(here)
    log_in(elsewhere)

    page = here.get(reverse("usersessions_list"))
    assert "Firefox" in page.text
    assert "A phone" in page.text
    assert "127.0.0.1" in page.text
    here.post(reverse("usersessions_list"))

    assert elsewhere.get(reverse("account")).status_code == 302
    assert here.get(reverse("account")).status_code == 200
    here.post(reverse("usersessions_list"))  # there are no others any more
    assert of_own_account(person) == [(ActionKind.SESSIONS_ENDED, {"sessions": 1})]
    assert UserSession.objects.count() == 1


def test_a_login_gets_a_new_session_key(person):
    client = Client()
    client.get(CODE)
    session = client.session
    session["planted"] = "by an attacker"
    session.save()
    client.cookies["sessionid"] = planted = session.session_key

    log_in(client)

    assert is_in(client)
    assert client.session.session_key != planted
    assert not Client(headers={"cookie": f"sessionid={planted}"}).session.get("_auth_user_id")


@pytest.mark.parametrize("name", ["login", "mfa_authenticate", "account_reset_password"])
def test_forms_before_the_login_need_the_csrf_token(name, person):
    client = Client(enforce_csrf_checks=True)
    form = {"login": "person", "password": PASSWORD, "email": "a@example.org", "code": "1"}

    assert client.post(reverse(name), form).status_code == 403


def test_an_address_of_a_unix_socket_can_be_stored(person):
    client = Client(REMOTE_ADDR="")
    log_in(client)

    assert is_in(client)
    assert UserSession.objects.get().ip == "0.0.0.0"
