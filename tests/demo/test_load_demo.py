import stat

import pytest
from django.contrib.auth import authenticate

from accounts.models import Collection, User
from adjudication.labels import labelled_pairs
from adjudication.standing import Standing
from agreement.services import AgreementReport
from annotation.models import Judgment, Opening
from demo.services import accounts_file, load_demo
from pooling.models import Contribution, Pool
from reports.services import compute_report
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def accounts():
    return load_demo()


def test_every_printed_account_can_log_in(rf, accounts):
    assert [account.role for account in accounts] == [
        "admin",
        "annotator",
        "annotator",
        "adjudicator",
    ]
    for account in accounts:
        assert authenticate(rf.post("/"), username=account.username, password=account.password)


def test_passwords_are_random_and_for_the_owner_only(accounts):
    assert len({account.password for account in accounts}) == 4
    assert stat.S_IMODE(accounts_file().stat().st_mode) == 0o600


def test_a_second_load_keeps_what_was_done(accounts):
    before = Judgment.objects.count(), User.objects.get(username="annotator").password

    assert load_demo() == accounts
    assert before == (Judgment.objects.count(), User.objects.get(username="annotator").password)


def test_pools_come_from_real_retrievers(accounts):
    assert Pool.objects.count() == 4
    ranked = Contribution.objects.filter(rank__isnull=False)
    assert set(ranked.values_list("source", flat=True)) == {
        "bm25_abstract",
        "bm25_title",
        "tfidf_abstract",
        "tfidf_title",
    }


def test_every_state_of_the_work_has_something_to_show(accounts):
    collection = Collection.objects.get(slug="demo")
    pairs = list(labelled_pairs(collection))

    assert {pair.standing for pair in pairs} >= {
        Standing.UNJUDGED,
        Standing.DUE,
        Standing.AGREED,
        Standing.ADJUDICATED,
    }
    assert collection.queries.count() == 6
    assert Opening.objects.of(collection).count() == 5


def test_the_judged_part_has_an_agreement_worth_looking_at(accounts):
    collection = Collection.objects.get(slug="demo")
    report = compute_report(AgreementReport("exclude"), collection=collection)

    alphas = [
        row["alpha"] for row in report.payload["queries"] if row["stage"] == "pre" and row["n"] > 15
    ]
    assert alphas
    assert all(0.1 < alpha < 0.95 for alpha in alphas)
