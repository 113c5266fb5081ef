import pytest
from django.core.cache import cache
from django.urls import reverse

from tests.support.factories import PASSWORD, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_login_attempts():
    cache.clear()
    yield
    cache.clear()


def log_in(client, username="person", password=PASSWORD, **extra):
    form = {"login": username, "password": password}
    return client.post(reverse("login"), form, **extra)


def test_the_login_page_says_what_qrelsmith_is_and_needs_no_login(client):
    page = client.get(reverse("login"))

    assert page.status_code == 200
    assert "Two people judge every candidate blind" in page.text


def test_a_right_password_leads_home(client):
    UserFactory(username="person")

    answer = log_in(client)

    assert answer.status_code == 302
    assert answer.url == reverse("home")


def test_a_login_leads_to_the_page_that_was_requested(client):
    UserFactory(username="person")
    asked = client.get(reverse("account"))

    answer = client.post(asked.url, {"login": "person", "password": PASSWORD, "next": "/account/"})

    assert asked.url == "/accounts/login/?next=/account/"
    assert answer.url == "/account/"


def test_login_never_leads_to_another_site(client):
    UserFactory(username="person")
    form = {"login": "person", "password": PASSWORD, "next": "https://evil.example/"}

    assert client.post(reverse("login"), form).url == reverse("home")


def test_a_wrong_password_is_explained_and_the_username_kept(client):
    UserFactory(username="person")

    page = log_in(client, password="wrong")

    assert "Wrong username, email or password" in page.text
    assert 'value="person"' in page.text


def test_an_imported_person_cannot_log_in(client):
    UserFactory(username="person", is_active=False)

    page = log_in(client)

    assert page.status_code == 200
    assert "_auth_user_id" not in client.session


def test_logging_out_is_a_post_and_leads_to_the_login_page(client):
    client.force_login(UserFactory())

    assert client.get(reverse("logout")).status_code == 405
    answer = client.post(reverse("logout"))

    assert answer.url == reverse("login")
    assert "_auth_user_id" not in client.session


def test_a_password_is_changed_and_the_new_one_works(client):
    person = UserFactory(username="person")
    client.force_login(person)
    form = {
        "oldpassword": PASSWORD,
        "password1": "another horse battery",
        "password2": "another horse battery",
    }

    done = client.post(reverse("account_change_password"), form, follow=True)

    assert "Password changed" in done.text
    person.refresh_from_db()
    assert person.check_password("another horse battery")
