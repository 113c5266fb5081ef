"""The people page, and the rules on roles behind it."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.codes import account_code, find_person
from accounts.models import Membership, Role, User
from accounts.services import (
    CannotBlind,
    LastAdmin,
    NameTaken,
    add_membership,
    create_person,
    one_time_password,
    take_role,
)
from annotation.models import Slot
from dashboard.services import HoldsPairs, remove_role
from tests.support.factories import UserFactory, a_collection, an_open_query, member
from tests.support.visits import csv_rows, text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    return a_collection()


@pytest.fixture
def client(client, collection):
    client.force_login(User.objects.get(username="admin"))
    return client


def at(name, collection, *args):
    return reverse(name, args=[collection.slug, *args])


def roles_of(collection, username):
    memberships = collection.memberships.filter(user__username=username)
    return set(memberships.values_list("role", flat=True))


def membership_of(collection, username):
    return collection.memberships.get(user__username=username)


def test_members_are_listed_by_role_in_a_fixed_number_of_queries(
    client, collection, django_assert_num_queries
):
    an_open_query(collection)
    for number in range(5):
        member(collection, Role.ANNOTATOR, f"more{number}")

    with django_assert_num_queries(9):
        page = client.get(at("people", collection))

    assert "0 of 3 pairs" in text_of(page)
    assert "no pairs assigned" in page.text


def test_an_imported_person_is_shown_as_such(client, collection):
    member(collection, Role.ANNOTATOR, "old")
    User.objects.filter(username="old").update(is_active=False)

    assert "imported, no login" in client.get(at("people", collection)).text


def test_a_person_with_an_account_gets_a_role(client, collection):
    person = UserFactory(username="new")

    form = {"give-person": account_code(person), "give-role": "adjudicator"}
    page = client.post(at("add-role", collection), form, follow=True)

    assert roles_of(collection, "new") == {"adjudicator"}
    assert "new is an adjudicator of this collection now" in page.text


def test_giving_a_role_twice_changes_nothing(collection):
    add_membership(
        collection=collection, user=User.objects.get(username="ann1"), role=Role.ANNOTATOR
    )

    assert collection.memberships.filter(user__username="ann1").count() == 1


def test_the_page_of_the_account_shows_the_code_that_adds_it(collection):
    person = UserFactory(username="Núria.7")
    theirs = Client()
    theirs.force_login(person)
    [code] = re.findall(r'id="account-code">([^<]+)<', theirs.get(reverse("account")).text)
    admin = User.objects.get(username="admin")

    assert re.fullmatch(r"Núria\.7:([a-z2-9]{4}-){2}[a-z2-9]{4}", code)
    assert find_person(asked_by=admin, text=f" {code} ") == person
    assert find_person(asked_by=admin, text=code.replace(code[8:], code[8:].upper())) == person


@pytest.mark.parametrize("role", Role.values)
def test_an_admin_cannot_tell_whether_an_account_exists(client, collection, role):
    """The answer to a username, or to one with a guessed code, is the same for everybody."""
    stranger = UserFactory(username="known")
    member(a_collection("other"), Role.ADJUDICATOR, "known")
    Membership.objects.filter(collection__slug="other", user__username="admin").delete()
    pages = {}
    for name in ("known", "absent"):
        for text in (name, f"{name}:", f"{name}:aaaa-bbbb-cccc"):
            form = {"give-person": text, "give-role": role}
            page = client.post(at("add-role", collection), form)
            errors = re.findall(r'class="errorlist".*?</ul>', page.text, re.DOTALL)
            answer = (page.status_code, *(error.replace(name, "NAME") for error in errors))
            pages.setdefault(text.partition(":")[1:], set()).add(answer)

    assert len(pages) == 3
    assert [len(answers) for answers in pages.values()] == [1, 1, 1]
    assert all("No person found" in str(answers) for answers in pages.values())
    assert not roles_of(collection, stranger.username)


def test_a_new_account_may_be_called_like_one_elsewhere_on_the_server(client, collection):
    UserFactory(username="known")
    texts = []
    for name in ("known", "nobody"):
        form = {"create-username": name, "create-name": "", "create-role": "annotator"}
        page = client.post(at("add-person", collection), form)
        texts.append((page.status_code, f"{name}@small has an account" in page.text))

    assert texts == [(200, True), (200, True)]
    assert not roles_of(collection, "known")


def test_people_of_an_admin_s_own_collections_are_added_by_username(client, collection):
    second = a_collection("second")
    member(collection, Role.ADJUDICATOR, "judith")

    client.post(at("add-role", second), {"give-person": "judith", "give-role": "adjudicator"})

    assert roles_of(second, "judith") == {"adjudicator"}


def test_administering_another_collection_is_needed_to_know_its_people(client, collection):
    other = a_collection("other")
    member(other, Role.ADJUDICATOR, "judith")
    other.memberships.filter(user__username="admin").delete()
    member(other, Role.ADJUDICATOR, "admin")

    form = {"give-person": "judith", "give-role": "adjudicator"}

    assert client.post(at("add-role", collection), form).status_code == 422
    assert not roles_of(collection, "judith")


def test_an_unknown_person_is_refused_and_kept_in_the_form(client, collection):
    form = {"give-person": "nobdy", "give-role": "annotator"}
    page = client.post(at("add-role", collection), form)

    assert page.status_code == 422
    assert "No person found for &#x27;nobdy&#x27;" in page.text
    assert 'value="nobdy"' in page.text


def test_a_role_that_was_removed_is_given_again_with_the_code_that_is_shown(client, collection):
    page = client.post(
        at("remove-role", collection, membership_of(collection, "adju").pk), follow=True
    )
    [code] = re.findall(r"To give the role again, enter ([^<\s]+)<", page.text)

    client.post(at("add-role", collection), {"give-person": code, "give-role": "adjudicator"})

    assert roles_of(collection, "adju") == {"adjudicator"}


def test_an_unknown_role_is_refused(client, collection):
    UserFactory(username="new")

    page = client.post(at("add-role", collection), {"give-person": "new", "give-role": "owner"})

    assert page.status_code == 422
    assert not roles_of(collection, "new")


def test_a_person_cannot_be_admin_and_annotator(collection):
    with pytest.raises(CannotBlind, match="cannot judge blind"):
        add_membership(
            collection=collection, user=User.objects.get(username="admin"), role=Role.ANNOTATOR
        )
    with pytest.raises(CannotBlind, match="can never judge here again"):
        add_membership(
            collection=collection, user=User.objects.get(username="ann1"), role=Role.ADMIN
        )

    assert roles_of(collection, "admin") == {"admin"}
    assert roles_of(collection, "ann1") == {"annotator"}


def test_a_person_who_was_an_admin_never_annotates_again(collection):
    person = User.objects.get(username="ann1")
    for role in (Role.ANNOTATOR, Role.ADMIN):
        membership = add_membership(collection=collection, user=person, role=role)
        remove_role(membership=membership)

    with pytest.raises(CannotBlind, match="ann1 is or was an admin of Small"):
        add_membership(collection=collection, user=person, role=Role.ANNOTATOR)

    assert roles_of(collection, "ann1") == set()
    add_membership(collection=a_collection("other"), user=person, role=Role.ANNOTATOR)


def test_an_admin_may_adjudicate(collection):
    add_membership(
        collection=collection, user=User.objects.get(username="admin"), role=Role.ADJUDICATOR
    )

    assert roles_of(collection, "admin") == {"admin", "adjudicator"}


def test_a_new_account_works_with_the_password_that_is_shown_once(client, collection):
    form = {"create-username": "new", "create-name": "New Person", "create-role": "annotator"}
    page = client.post(at("add-person", collection), form)
    password = re.search(r'id="password">([^<]+)<', page.text)[1]

    person = User.objects.get(username="new@small")
    assert person.check_password(password)
    assert person.shown_name == "New Person"
    assert roles_of(collection, "new@small") == {"annotator"}
    assert "new@small has an account" in page.text
    assert "no-store" in page["Cache-Control"]
    assert password not in client.get(at("people", collection)).text


def test_one_time_passwords_differ_and_can_be_read_out():
    passwords = {one_time_password() for _ in range(50)}

    assert len(passwords) == 50
    assert all(re.fullmatch(r"([a-hjkmnp-z2-9]{4}-){3}[a-hjkmnp-z2-9]{4}", p) for p in passwords)


def test_a_taken_username_is_refused_whatever_its_case(collection):
    create_person(collection=collection, username="mara", name="", role=Role.ANNOTATOR)

    with pytest.raises(NameTaken, match="MARA@small"):
        create_person(collection=collection, username="MARA", name="", role=Role.ANNOTATOR)


def test_a_taken_username_is_explained_and_changes_no_password(client, collection):
    create_person(collection=collection, username="mara", name="", role=Role.ANNOTATOR)
    password = User.objects.get(username="mara@small").password
    form = {"create-username": "mara", "create-name": "", "create-role": "admin"}
    page = client.post(at("add-person", collection), form)

    assert page.status_code == 422
    assert "exists already" in page.text
    assert roles_of(collection, "mara@small") == {"annotator"}
    assert User.objects.get(username="mara@small").password == password


def test_a_bad_username_is_refused_with_what_is_allowed(client, collection):
    form = {"create-username": "not a name", "create-name": "", "create-role": "annotator"}
    page = client.post(at("add-person", collection), form)

    assert page.status_code == 422
    assert not User.objects.filter(username__contains="not a name").exists()


def test_a_role_without_work_is_taken_away(client, collection):
    address = at("remove-role", collection, membership_of(collection, "adju").pk)
    page = client.post(address, follow=True)

    assert not roles_of(collection, "adju")
    assert User.objects.filter(username="adju").exists()
    assert "adju is no longer an adjudicator here" in page.text


def test_an_annotator_with_pairs_to_judge_stays(client, collection):
    an_open_query(collection, size=3)

    address = at("remove-role", collection, membership_of(collection, "ann1").pk)
    page = client.post(address, follow=True)

    assert roles_of(collection, "ann1") == {"annotator"}
    assert "still has pairs to judge" in page.text
    assert Slot.objects.filter(annotator__username="ann1").count() == 3


def test_pairs_in_another_collection_do_not_keep_a_role_here(collection):
    other = a_collection("other")
    an_open_query(other)

    remove_role(membership=membership_of(collection, "ann1"))

    assert not roles_of(collection, "ann1")
    with pytest.raises(HoldsPairs):
        remove_role(membership=membership_of(other, "ann1"))


def test_the_last_admin_stays(client, collection):
    page = client.post(
        at("remove-role", collection, membership_of(collection, "admin").pk), follow=True
    )

    assert roles_of(collection, "admin") == {"admin"}
    assert "only admin" in page.text


def test_an_admin_who_cannot_log_in_does_not_count(collection):
    member(collection, Role.ADMIN, "old")
    User.objects.filter(username="old").update(is_active=False)

    with pytest.raises(LastAdmin):
        take_role(membership=membership_of(collection, "admin"))


def test_an_admin_who_leaves_is_led_home(client, collection):
    member(collection, Role.ADMIN, "second")

    answer = client.post(at("remove-role", collection, membership_of(collection, "admin").pk))

    assert answer.url == reverse("home")


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_two_admins_who_remove_each_other_leave_one(on_postgresql):
    collection = a_collection()
    member(collection, Role.ADMIN, "second")
    start = threading.Barrier(2)

    def take_from(username):
        try:
            membership = membership_of(collection, username)
            start.wait()
            take_role(membership=membership)
        except LastAdmin:
            return "refused"
        finally:
            connection.close()
        return "taken"

    admins = collection.memberships.filter(role=Role.ADMIN)
    with ThreadPoolExecutor(2) as pool:
        outcomes = sorted(pool.map(take_from, ["admin", "second"]))

    assert outcomes == ["refused", "taken"]
    assert admins.count() == 1


def test_people_are_found_by_name_and_filtered_by_role(client, collection):
    page = at("people", collection)

    def found(**asked):
        answer = client.get(page, {**asked, "format": "csv"})
        lines = csv_rows(answer)
        return [line["username"] for line in lines]

    assert {"admin", "ann1", "ann2", "adju"} <= set(found())
    assert found(role="adjudicator") == ["adju"]
    assert found(q="ann2") == ["ann2"]
    assert found(q="ann2", role="admin") == []
    assert [group.role for group in client.get(page, {"role": "admin"}).context["groups"]] == [
        "admin"
    ]
