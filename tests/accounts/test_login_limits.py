"""Guessing passwords is slow, and no guesser can keep a person out of the own account."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth import aauthenticate, authenticate
from django.core import signing
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.login import known_browsers
from accounts.login.known_browsers import COOKIE, SALT, KnownBrowser
from accounts.login.limits import client_address
from tests.support.api_world import token_of
from tests.support.factories import PASSWORD, UserFactory
from tests.support.running import wait_until

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

HERE, ELSEWHERE = "198.51.100.7", "203.0.113.5"
LOCAL_MEMORY = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}


def redis_cache(url):
    return {
        "default": {
            "BACKEND": "accounts.login.redis_cache.LenientRedisCache",
            "LOCATION": url,
            "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},
        }
    }


@pytest.fixture(params=["memory", "redis"], autouse=True)
def _shared_count(request, settings):
    """Each cache in turn, empty."""
    url = request.getfixturevalue("redis_url") if request.param == "redis" else None
    settings.CACHES = redis_cache(url) if url else LOCAL_MEMORY
    settings.LOGIN_TRIES_PER_NAME = 3
    settings.LOGIN_TRIES_PER_ADDRESS = 8
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def person():
    return UserFactory(username="person")


def log_in(username="person", password=PASSWORD, address=HERE, client=None, **headers):
    form = {"login": username, "password": password}
    return (client or Client()).post(
        reverse("login"), form, REMOTE_ADDR=address, headers=headers or None
    )


def fail(times, **how):
    return [log_in(password="wrong", **how).status_code for _ in range(times)]


def test_after_too_many_tries_even_the_right_password_waits(person, settings):
    assert fail(settings.LOGIN_TRIES_PER_NAME) == [200] * settings.LOGIN_TRIES_PER_NAME
    client = Client()

    page = log_in(client=client)

    assert page.status_code == 429
    assert page["Retry-After"] == str(settings.LOGIN_WAIT_SECONDS)
    assert "Too many failed logins from your network. Wait 5 minutes" in page.text
    assert 'value="person"' in page.text
    assert "_auth_user_id" not in client.session


def test_the_wait_ends(person, settings):
    settings.LOGIN_WAIT_SECONDS = 1
    fail(settings.LOGIN_TRIES_PER_NAME + 1)

    wait_until(lambda: log_in().status_code == 302, 30, "the wait is over")


def test_an_unknown_username_is_counted_like_a_known_one(settings):
    assert fail(settings.LOGIN_TRIES_PER_NAME + 1, username="ghost")[-1] == 429


def test_a_stranger_elsewhere_locks_no_one_out(person, settings):
    statuses = fail(settings.LOGIN_TRIES_PER_ADDRESS + 1, address=ELSEWHERE)

    assert statuses[-1] == 429
    assert log_in(address=HERE).status_code == 302


def test_tries_for_one_username_hold_up_no_other(person, settings):
    UserFactory(username="other")
    fail(settings.LOGIN_TRIES_PER_ADDRESS + 1)

    assert log_in(username="other").status_code == 302


def test_one_password_on_many_names_is_slowed(settings):
    UserFactory(username="name11")
    limit = settings.LOGIN_TRIES_PER_ADDRESS
    statuses = [log_in(f"name{number}", "wrong").status_code for number in range(12)]

    assert statuses == [200] * limit + [429] * (12 - limit)
    assert log_in("name11").status_code == 429
    assert log_in("name11", address=ELSEWHERE).status_code == 302


def test_an_own_account_gives_a_guesser_no_extra_tries(person, settings):
    statuses = []
    for number in range(settings.LOGIN_TRIES_PER_ADDRESS + 1):
        log_in()
        statuses.append(log_in(f"name{number}", "wrong").status_code)

    assert statuses.count(200) == settings.LOGIN_TRIES_PER_ADDRESS
    assert statuses[-1] == 429


def test_logging_in_again_and_again_is_no_failure(person, settings):
    logins = settings.LOGIN_TRIES_PER_ADDRESS + 1

    assert [log_in().status_code for _ in range(logins)] == [302] * logins


def test_a_right_password_starts_the_count_of_its_name_anew(person, settings):
    for _ in range(2):
        fail(settings.LOGIN_TRIES_PER_NAME - 1)
        assert log_in().status_code == 302


def test_the_case_of_a_username_gives_no_extra_tries(person):
    for name in ["person", "PERSON", "Person", "pErson", "peRson"]:
        log_in(username=name, password="wrong")

    assert log_in().status_code == 429


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_tries_sent_at_the_same_moment_share_the_limit(settings):
    UserFactory(username="person")
    together = 4 * settings.LOGIN_TRIES_PER_NAME
    start = threading.Barrier(together)

    def guess(_):
        try:
            start.wait()
            return log_in(password="wrong").status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(together) as pool:
        statuses = list(pool.map(guess, range(together)))

    assert statuses.count(200) == settings.LOGIN_TRIES_PER_NAME
    assert statuses.count(429) == together - settings.LOGIN_TRIES_PER_NAME


class TestKnownBrowsers:
    """A browser in which the account has logged in before."""

    @pytest.fixture
    def known(self, person):
        client = Client()
        assert log_in(client=client).status_code == 302
        client.post(reverse("logout"))
        return client

    def test_guesses_in_its_network_lock_unknown_browsers_and_not_this_one(self, known, settings):
        fail(settings.LOGIN_TRIES_PER_NAME + 1)  # for the same name
        for number in range(settings.LOGIN_TRIES_PER_ADDRESS + 1):
            log_in(f"name{number}", "wrong")

        unknown = log_in()

        assert unknown.status_code == 429
        assert "log in now with a browser in which you logged in before" in unknown.text
        assert log_in(client=known).status_code == 302

    def test_its_own_wrong_guesses_lock_it_alone(self, known, settings):
        limit = settings.LOGIN_TRIES_PER_NAME

        assert fail(limit + 1, client=known) == [200] * limit + [429]

        assert "Too many failed logins in this browser" in log_in(client=known).text
        assert log_in(client=known, address=ELSEWHERE).status_code == 429
        assert log_in().status_code == 302

    def test_a_cookie_of_another_account_gives_no_tries(self, known, settings):
        UserFactory(username="other")
        UserFactory(username="PERSON")
        fail(settings.LOGIN_TRIES_PER_NAME, username="other")
        fail(settings.LOGIN_TRIES_PER_NAME, username="PERSON")

        assert log_in("other", client=known).status_code == 429
        assert log_in("PERSON", client=known).status_code == 429

    def test_a_forged_cookie_gives_no_tries(self, known, settings):
        real = known.cookies[COOKIE].value
        forged = {
            "text": "person",
            "changed": f"A{real[1:]}",
            "other key": signing.dumps(signing.loads(real, salt=SALT), key="k", salt=SALT),
        }
        fail(settings.LOGIN_TRIES_PER_NAME)

        for name, cookie in forged.items():
            client = Client()
            client.cookies[COOKIE] = cookie
            assert fail(1, client=client) == [429], name
            assert log_in(client=client).status_code == 429, name
        assert fail(1, client=known) == [200]

    def test_a_stolen_cookie_is_no_login_and_gives_no_more_tries(self, known, settings):
        thief = Client()
        thief.cookies[COOKIE] = known.cookies[COOKIE].value
        limit = settings.LOGIN_TRIES_PER_NAME

        assert thief.get(reverse("home")).status_code == 302
        assert fail(limit + 1, client=thief, address=ELSEWHERE) == [200] * limit + [429]

    def test_the_cookie_is_for_the_login_page_and_keeps_the_latest_accounts(
        self, known, monkeypatch
    ):
        cookie = known.cookies[COOKIE]
        assert (cookie["path"], cookie["httponly"]) == ("/accounts/", True)
        monkeypatch.setattr(known_browsers, "MOST_ACCOUNTS", 1)
        UserFactory(username="other")
        log_in("other", client=known)

        content = signing.loads(known.cookies[COOKIE].value, salt=SALT)

        browser = KnownBrowser(content["id"], content["accounts"])
        assert (browser.knows("person"), browser.knows("other")) == (False, True)


def test_an_api_token_works_where_logins_are_refused(person, settings):
    fail(settings.LOGIN_TRIES_PER_ADDRESS + 1)
    token = {"Authorization": f"Token {token_of(person.username)}"}

    answer = Client().get("/api/v1/collections/", REMOTE_ADDR=HERE, headers=token)

    assert answer.status_code == 200


def authenticate_async(request, **credentials):
    """`aauthenticate` in a thread: this one may have the event loop of a browser's tests."""

    def run():
        try:
            return async_to_sync(aauthenticate)(request, **credentials)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


class TestCode:
    """What calls Django's `authenticate()` without the login page."""

    @pytest.mark.django_db(transaction=True)
    def test_tries_without_the_login_page_are_counted(self, person, settings, rf):
        guess = {"username": "person", "password": "wrong"}
        for _ in range(settings.LOGIN_TRIES_PER_NAME - 1):
            authenticate(rf.post("/", REMOTE_ADDR=HERE), **guess)
        authenticate_async(rf.post("/", REMOTE_ADDR=HERE), **guess)

        right = {"username": "person", "password": PASSWORD}

        assert authenticate(rf.post("/", REMOTE_ADDR=HERE), **right) is None
        assert authenticate_async(rf.post("/", REMOTE_ADDR=HERE), **right) is None
        assert authenticate(rf.post("/", REMOTE_ADDR=ELSEWHERE), **right) == person

    def test_a_try_without_a_request_is_an_error(self, person):
        with pytest.raises(ValueError, match="needs the request"):
            authenticate(username="person", password=PASSWORD)

    def test_credentials_of_another_kind_are_not_counted(self, person, settings, rf):
        settings.LOGIN_TRIES_PER_ADDRESS = 1
        for _ in range(2):
            assert authenticate(rf.post("/", REMOTE_ADDR=HERE), code="none") is None

        assert log_in().status_code == 302


class TestWithoutTheCache:
    @pytest.fixture(params=["refused", "silent"], autouse=True)
    def _cache_is_down(self, request, settings, _shared_count):
        """A port that refuses connections, and one that takes them and never answers."""
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            if request.param == "silent":
                listener.listen()
            settings.CACHES = redis_cache(f"redis://127.0.0.1:{listener.getsockname()[1]}/0")
            yield
            settings.CACHES = LOCAL_MEMORY

    def test_people_log_in(self, person):
        assert log_in(password="wrong").status_code == 200
        assert log_in().status_code == 302

    def test_the_health_check_says_so_and_stays_good(self):
        answer = Client().get("/healthz")

        assert answer.status_code == 200
        assert answer.text == "ok\nno cache: failed logins are not counted\n"


class TestProxies:
    def test_so_many_addresses_are_believed(self, rf, settings):
        for proxies, forwarded, address in (
            (0, "1.1.1.1", "10.0.0.1"),
            (0, "", "10.0.0.1"),
            (1, "", "10.0.0.1"),
            (1, "1.1.1.1", "1.1.1.1"),
            (1, "6.6.6.6, 1.1.1.1", "1.1.1.1"),
            (2, "6.6.6.6, 1.1.1.1, 10.0.0.2", "1.1.1.1"),
            (2, "1.1.1.1", "1.1.1.1"),
            (1, "1.1.1.1:4711", "1.1.1.1"),
            (1, "nonsense", "10.0.0.1"),
            (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            (1, "[2001:db8:1:2::9]:4711", "2001:db8:1:2::/64"),
            (1, "::ffff:1.1.1.1", "1.1.1.1"),
        ):
            settings.TRUSTED_PROXIES = proxies
            headers = {"X-Forwarded-For": forwarded} if forwarded else {}

            request = rf.get("/", REMOTE_ADDR="10.0.0.1", headers=headers)

            assert client_address(request) == address, (proxies, forwarded)

    def test_people_behind_one_proxy_are_told_apart(self, person, settings):
        settings.TRUSTED_PROXIES = 1
        fail(settings.LOGIN_TRIES_PER_ADDRESS, **{"X-Forwarded-For": ELSEWHERE})

        assert log_in(**{"X-Forwarded-For": ELSEWHERE}).status_code == 429
        assert log_in(**{"X-Forwarded-For": HERE}).status_code == 302

    def test_a_forged_header_gives_no_extra_tries(self, person, settings):
        settings.TRUSTED_PROXIES = 1
        for number in range(settings.LOGIN_TRIES_PER_NAME):
            log_in(password="wrong", **{"X-Forwarded-For": f"6.6.6.{number}, {ELSEWHERE}"})

        assert log_in(**{"X-Forwarded-For": f"6.6.6.99, {ELSEWHERE}"}).status_code == 429
