import re

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from studies.models import Study, StudyRating
from studies.services import end_study
from tests.support.factories import a_collection
from tests.support.sittings import carried, tells
from tests.support.study_scenes import a_labelled_query, a_study, rate
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def study() -> Study:
    collection = a_collection()
    a_labelled_query(collection, 3, 1, 0)
    return a_study(collection)


def pair_page(study: Study, position: int) -> str:
    return address("rate-pair", study.name, study.pairs.get(position=position).token)


def test_the_rater_sees_full_texts_and_neither_abstract_nor_grade_nor_metadata(study):
    rater = client_of("ann1")
    paper = study.pairs.first().pair.query.query_paper

    for position in (1, 2, 3):
        page = rater.get(pair_page(study, position))
        text = page.text
        assert f"Whole text of {paper.name}." in text
        assert paper.document.abstract.split(".")[0] not in text
        for secret in ("Hidden Author", "Secret Venue", "1987", "bm25_title"):
            assert secret not in text
        assert not tells(re.sub(r"<svg.*?</svg>", "", text), "agreed")
        assert 'aria-pressed="true"' not in text


def test_others_find_no_study_and_admins_cannot_rate(study):
    for username in ("ann2", "adju", "admin"):
        client = client_of(username)
        for page in (pair_page(study, 1), address("own-study", study.name)):
            assert client.get(page).status_code == 404
            assert client.post(page, {"answer": "2"}).status_code in (404, 405)
    assert "Full-text study" not in text_of(client_of("ann2").get(address("judge")))
    assert "Full-text study" in text_of(client_of("ann1").get(address("judge")))
    assert not StudyRating.objects.exists()


def test_a_rater_without_scripts_rates_goes_back_and_changes(study):
    rater = client_of("ann1")
    first = rater.get(address("rate-next", study.name), follow=True)
    fields = carried(first.text)

    second = rater.post(pair_page(study, 1), fields | {"answer": "2"}, follow=True)
    back = rater.get(address("rate-undo", study.name, study.pairs.get(position=2).token))
    page = rater.get(back["Location"])
    changed = carried(page.text) | {"answer": "cannot", "reason": "language"}
    rater.post(pair_page(study, 1), changed)

    assert second.redirect_chain == [(pair_page(study, 2), 302)]
    assert 'You said <b id="was-said">2 Similar' in " ".join(page.text.split())
    assert [rating.grade for rating in StudyRating.objects.all()] == [2, None]
    assert StudyRating.objects.last().seconds is None
    assert "It is in a language I do not read" in text_of(rater.get(address("own-study", "texts")))


def test_a_refused_rating_is_said_above_the_pair_and_keeps_the_note(study):
    rater = client_of("ann1")
    fields = carried(rater.get(pair_page(study, 1)).text) | {"presentation": "0" * 64}

    page = rater.post(pair_page(study, 1), fields | {"answer": "2", "note": "kept"})
    as_json = {"HTTP_ACCEPT": "application/json"}
    refusal = rater.post(pair_page(study, 1), fields | {"answer": "2"}, **as_json)

    assert page.status_code == refusal.status_code == 409
    assert "The text of this pair changed" in page.text
    assert "kept" in page.text
    assert (refusal.json()["error"], refusal.json()["key"]) == ("WrongFullText", fields["key"])


def test_the_report_comes_when_every_pair_is_rated(study, capsys):
    admin = client_of("admin")
    report, file = address("study", study.name), address("study-csv", study.name)
    rate(study, 1, grade=study.pairs.get(position=1).label)
    before = text_of(admin.get(report))
    call_command("report_study", "small", "texts")
    printed_before = capsys.readouterr().out

    assert "1 of 3 is rated" in before
    assert "Confusion" not in before
    assert "once every pair is rated" in printed_before
    assert admin.get(file).status_code == 404

    for position in (2, 3):
        rate(study, position, grade=study.pairs.get(position=position).label, seconds=300.0)
    after = text_of(admin.get(report))
    call_command("report_study", "small", "texts")
    printed = capsys.readouterr().out.splitlines()

    assert "the rater’s own grades" in after
    assert "CSFCube’s study" in after
    numbers = [line.split()[-6:] for line in printed if "all pairs" in line]
    assert numbers == [
        ["0", "1.0000", "1.0000", "1.0000", "100.0000", "5.0"],
        ["3", "0", "1.0000", "1.0000", "1.0000", "100.0000"],
        ["45", "0.78", "0.77", "0.63", "73.00", "~5"],
    ]
    assert admin.get(file).text.splitlines()[0].startswith("query,facet,docno,label_when_chosen")
    assert len(admin.get(file).text.splitlines()) == 4


def test_an_ended_study_is_reported_with_what_is_undefined(study):
    rate(study, 1, grade=2)
    end_study(study=study)
    admin = client_of("admin")

    page = text_of(admin.get(address("study", study.name)))

    assert "ρ with final labels, all pairs: only one pair has both grades." in page
    assert admin.get(address("study-csv", study.name)).status_code == 200
    assert client_of("ann1").get(address("rate-next", "texts"))["Location"].endswith("/texts/")


def test_an_admin_creates_a_study_or_reads_why_not(study):
    admin = client_of("admin")
    rater = User.objects.get(username="ann1")
    fields = {"name": "second", "rater": rater.pk, "queries": 1, "per_query": 2, "named": ""}

    refused = admin.post(address("new-study"), fields | {"queries": 9})
    admin.post(address("new-study"), fields)

    assert refused.status_code == 422
    assert "Only 1 query has 2 pairs with a final label and full texts" in text_of(refused)
    assert Study.objects.get(name="second").pairs.count() == 2
    assert "second" in text_of(admin.get(address("studies")))


def test_the_pages_take_a_fixed_number_of_queries(study):
    admin, rater = client_of("admin"), client_of("ann1")
    pages = [(admin, address("studies")), (rater, address("full-text-studies"))]
    pages += [(rater, address("own-study", "texts")), (rater, pair_page(study, 1))]
    before = [queries_of(client, page) for client, page in pages]

    a_study(study.collection, name="second", per_query=2)
    rate(study, 2, grade=1)
    rate(study, 2, grade=2)

    assert [queries_of(client, page) for client, page in pages] == before


def test_the_command_creates_the_study_that_the_page_creates(study, capsys):
    call_command("create_study", "small", "third", "--rater=ann1", "--queries=1", "--per-query=2")

    assert "study third with 2 pairs for ann1" in capsys.readouterr().out
    with pytest.raises(CommandError, match="No account 'nemo'"):
        call_command("create_study", "small", "fourth", "--rater=nemo")


def test_an_unknown_study_names_those_there_are(study):
    with pytest.raises(CommandError, match=r"no study 'other'. Its studies: texts"):
        call_command("report_study", "small", "other")
