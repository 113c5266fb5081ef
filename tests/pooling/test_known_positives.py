"""Known positives and eligibility in pools that are built, shown, and built again."""

from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from corpus.services import create_query
from jobs.context import DirectRun
from jobs.models import Job
from pooling.models import Candidate, Contribution, Pool
from pooling.plan_form import PoolPlanForm
from pooling.services import PoolingError, PoolPlan, build_pools
from pooling.services import freeze_pools as freeze
from pooling.services import manifest_file as file_of
from retrieval.errors import RetrievalError
from retrieval.services import import_run, remove_run
from tests.pooling.test_pages import address, client_of, text_of
from tests.rebuilding.test_rebuild import rebuilt
from tests.support.factories import DocumentFactory, a_collection
from tests.support.pooling_scenes import a_listed_run
from tests.support.visits import markup
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

JUDGED = ("d04", "d11", "d13")


def a_corpus(slug):
    """Twenty-four documents about the same; d00, a query paper of 2010, cites d05 and d07."""
    collection = a_collection(slug, seed="the same")
    for number in range(24):
        DocumentFactory(
            collection=collection,
            docno=f"d{number:02}",
            title=f"parsing of trees {number}",
            references=["d05", "d07", "elsewhere"] if number == 0 else [],
            year=None if number == 9 else 2000 + number + (10 if number == 0 else 0),
            fields=["CS"] if number % 2 == 0 else ["CS", "Maths"] if number % 3 else ["Maths"],
        )
    create_query(collection=collection, docno="d00", facet_key="method")
    create_query(collection=collection, docno="d02", facet_key="method")
    return collection


@pytest.fixture
def judgments(collection, settings):
    """The file that the collection has its known positives from."""
    return settings.DATA_DIR / "judged.qrels"


def add_judgments(collection, path):
    return import_run(
        collection=collection,
        path=path,
        filename=path.name,
        name="judged",
        qrels=True,
        work=DirectRun(),
    )


@once_a_file
def collection():
    path = Path(settings.DATA_DIR) / "judged.qrels"
    path.write_text("".join(f"d00 0 {docno} 2\n" for docno in JUDGED))
    made = a_corpus("small")
    add_judgments(made, path)
    return made


def built(collection, **changes):
    usual = {"parameters": {"n": 3}, "runs": ("bm25_title", "tfidf_title"), "depth": 23}
    return build_pools(
        collection=collection, plan=PoolPlan(**{**usual, **changes}), work=DirectRun()
    )


def pooled(docno="d00", **only):
    candidates = Candidate.objects.filter(pool__query_paper__name=docno, **only)
    return list(candidates.order_by("position").values_list("document__docno", flat=True))


def drawn_by(*sources):
    return {"contributions__drawn": True, "contributions__source__in": sources}


def test_left_out_cited_papers_are_not_drawn(collection):
    built(collection, forced=(), excluded=("cited",), parameters={"n": 12})

    assert not {"d05", "d07"} & set(pooled())
    # Of 23 others two are known: what the two retrievers lack of 24 is recorded.
    assert len(pooled()) + sum(Pool.objects.first().shortfall.values()) == 24
    assert len(pooled()) == 21


def test_a_run_of_judgments_is_taken_whole_and_first(collection):
    built(collection, forced=("cited", "judged"))

    assert pooled()[:2] == ["d05", "d07"]
    assert pooled(**drawn_by("judged")) == sorted(JUDGED, reverse=True)
    assert len(pooled()) == 2 + 3 + 6
    mine = Contribution.objects.filter(source="judged")
    assert set(mine.values_list("rank", "score")) == {(None, None)}


def test_a_left_out_run_gives_nothing_and_takes_no_turn(collection):
    build = built(collection, excluded=("judged",), runs=(), parameters={"n": 5})

    assert not set(JUDGED) & set(pooled())
    assert "judged" not in Pool.objects.first().retriever_order
    assert {run["name"]: run["use"] for run in build.manifest["runs"]}["judged"] == "excluded"


def test_what_is_taken_whole_comes_even_where_it_is_also_left_out(collection):
    built(collection, forced=("judged",), excluded=("cited",))
    collection.documents.filter(docno="d00").update(references=["d04", "d05"])
    built(collection, forced=("judged",), excluded=("cited",))

    assert "d04" in pooled()
    assert "d05" not in pooled()


def test_only_documents_of_a_shared_field_and_no_later_year_are_drawn(collection):
    built(collection, only=("same_field", "not_later"), parameters={"n": 12}, forced=("judged",))

    drawn = set(pooled(**drawn_by("bm25_title", "tfidf_title")))
    # d00 is of CS and 2010: no odd third, none later, not d09 of no known year.
    expected = {"d01", "d02", "d05", "d06", "d07", "d08", "d10"}
    assert drawn == expected - set(JUDGED)
    assert set(pooled(**drawn_by("judged"))) == set(JUDGED)
    ranks = Contribution.objects.filter(
        source="bm25_title", drawn=True, candidate__pool__query_paper__name="d00"
    ).values_list("rank", "candidate__document__docno")
    ranking = collection.runs.get(name="bm25_title").rankings.get(query_paper__name="d00")
    assert all(ranking.docnos[rank - 1] == docno for rank, docno in ranks)


def test_requirements_are_one_question_more_however_many_query_papers(collection):
    def questions(**changes):
        with CaptureQueriesContext(connection) as captured:
            built(collection, **changes)
        return len(captured)

    built(collection)  # makes the runs
    assert questions(only=("same_field", "not_later")) == questions() + 1
    for number in range(3, 9):
        create_query(collection=collection, docno=f"d{number:02}", facet_key="method")
    built(collection)
    assert questions(only=("same_field", "not_later")) == questions() + 1


def test_mdcr_counts_its_tops_without_what_is_known(collection):
    a_listed_run(collection, "up", {"d00": [f"d{number:02}" for number in range(3, 12)]})
    asked = {"strategy": "mdcr", "parameters": {"n": 3, "top": 3}, "runs": ("up",)}

    built(collection, forced=("judged",), excluded=("cited",), **asked)

    # d04 is judged and forced, d05 and d07 are cited: the best three left are all drawn.
    assert sorted(set(pooled()) - set(JUDGED)) == ["d03", "d06", "d08"]


def test_a_query_paper_that_a_left_out_run_has_no_list_for_loses_nothing(collection):
    built(collection, forced=())
    before = pooled("d02")
    built(collection, forced=(), excluded=("judged",))

    assert pooled("d02") == before


def test_where_no_runs_are_named_the_known_ones_are_not_drawn_from(collection):
    manifest = built(collection, forced=(), excluded=("judged",), runs=()).manifest

    uses = {run["name"]: run["use"] for run in manifest["runs"]}
    assert uses.pop("judged") == "excluded"
    assert set(uses.values()) == {"drawn"}
    assert "judged" not in Pool.objects.first().retriever_order


def test_a_run_that_is_not_there_is_named(collection):
    with pytest.raises(PoolingError, match="small has no run 'gold'"):
        built(collection, excluded=("gold",))


def test_a_run_that_frozen_pools_left_out_stays(collection):
    built(collection, excluded=("judged",))
    freeze(collection=collection)

    with pytest.raises(RetrievalError, match="Frozen pools were drawn from judged"):
        remove_run(run=collection.runs.get(name="judged"))


# Built again


@pytest.mark.parametrize(
    "known",
    [
        {"forced": (), "excluded": ("cited", "judged")},
        {"forced": ("judged",), "excluded": ("cited",), "only": ("not_later",)},
        {"only": ("same_field", "not_later")},
    ],
)
def test_pools_with_known_positives_are_proved_equal(
    collection, judgments, tmp_path, capsys, known
):
    add_judgments(a_corpus("second"), judgments)

    wrong = []
    for strategy, parameters in (
        ("interleaved", {"n": 3}),
        ("depth_k", {"k": 5}),
        ("rrf", {"size": 9, "depth": 23}),
        ("mdcr", {"n": 2, "top": 9}),
    ):
        build = built(collection, strategy=strategy, parameters=parameters, **known)
        try:
            rebuilt(tmp_path, file_of(build), "second")
        except CommandError as error:
            wrong.append(f"{strategy}: {error}")
        if build.manifest["pools"]["sha256"] not in capsys.readouterr().out:
            wrong.append(f"{strategy}: the digest is not printed")

    assert wrong == []


def test_other_judgments_are_named(collection, tmp_path):
    manifest = file_of(built(collection, excluded=("judged",)))
    rankings = collection.runs.get(name="judged").rankings
    rankings.update(docnos=["d04"], scores=[1.0])

    with pytest.raises(CommandError, match="The run judged differs"):
        rebuilt(tmp_path, manifest, "small")


@pytest.mark.parametrize("change", [{"excluded": []}, {"only": []}])
def test_a_manifest_that_hides_what_was_left_out_gives_other_pools(collection, tmp_path, change):
    plan = {"forced": (), "excluded": ("cited",), "only": ("not_later",)}
    manifest = file_of(built(collection, parameters={"n": 11}, **plan))

    with pytest.raises(CommandError, match="The pool of d00 differs"):
        rebuilt(tmp_path, manifest | change, "small")


def test_a_manifest_that_lacks_the_run_it_leaves_out_is_refused(collection, tmp_path):
    manifest = file_of(built(collection, excluded=("judged",)))
    manifest["runs"] = [run for run in manifest["runs"] if run["name"] != "judged"]

    with pytest.raises(CommandError, match="judged is not among its runs"):
        rebuilt(tmp_path, manifest, "small")


# The page, the API, the command

PLAN = {
    "strategy": "interleaved",
    "interleaved-n": "3",
    "cited": "excluded",
    "depth": "50",
    "seed": "s",
    "runs": ["judged", "bm25_title"],
}


def asked():
    plan = Job.objects.get(kind="build_pools").parameters
    return {key: plan[key] for key in ("forced", "excluded", "only", "runs")}


def test_the_form_takes_known_positives_and_requirements(collection):
    sent = {**PLAN, "known-judged": "forced", "only": ["not_later"]}
    client_of("admin").post(address("build-pools"), sent)

    assert asked() == {
        "forced": ["judged"],
        "excluded": ["cited"],
        "only": ["not_later"],
        "runs": ["bm25_title"],  # ticked as well, but it is taken whole
    }


def test_the_form_shows_imported_runs_only_where_there_are_any(collection):
    page = client_of("admin").get(address("plan-pools")).text
    assert 'name="known-judged"' in page
    remove_run(run=collection.runs.get(name="judged"))

    assert "known-" not in client_of("admin").get(address("plan-pools")).text


def test_a_use_that_there_is_not_is_refused(collection):
    page = client_of("admin").post(address("build-pools"), {**PLAN, "cited": "eaten"})

    assert page.status_code == 422
    assert "eaten is not one of the available choices" in page.text
    assert not Job.objects.exists()


def test_the_form_is_filled_in_from_the_address(collection):
    given = {
        "strategy": "mdcr",
        "mdcr-n": "7",
        "runs": ["bm25_text", "nonsense"],
        "cited": "excluded",
        "known-judged": "forced",
        "only": "same_field",
        "seed": "mine",
    }
    form = client_of("admin").get(address("plan-pools"), given).context["form"]

    assert form["strategy"].value() == "mdcr"
    assert form["mdcr-n"].value() == "7"
    assert form["runs"].value() == ["bm25_text"]
    assert (form["cited"].value(), form["known-judged"].value()) == ("excluded", "forced")
    assert form["only"].value() == ["same_field"]
    assert form.opens_more_options


def test_the_pages_say_what_was_left_out(collection):
    built(collection, forced=("judged",), excluded=("cited",), only=("not_later",))
    pool_page = markup(client_of("admin").get(address("query", "d00_method")).text)
    pools_page = text_of(client_of("admin").get(address("pools")))

    assert "<dt>Forced</dt><dd><code>judged</code></dd>" in pool_page
    assert "<dt>Excluded</dt><dd><code>cited</code></dd>" in pool_page
    assert "documents not later than the query" in pool_page
    assert "forced: judged · excluded: cited" in pools_page


def test_a_pool_that_lacks_as_a_whole_says_so_in_words(collection):
    built(collection, strategy="take_b", parameters={"size": 40})
    pool_page = text_of(client_of("admin").get(address("query", "d00_method")))
    pools_page = client_of("admin").get(address("pools"))

    assert "the pool as a whole had 19 too few" in pool_page
    assert "The pool as a whole had 19 too few." in pools_page.text
    assert "budget" not in pools_page.context["table"].sources
    assert "<code>budget" not in pool_page + pools_page.text


def test_the_command_takes_them_all(collection, capsys):
    call_command(
        "build_pools", "small", "--n", "3", "--run", "bm25_title", "--excluded", "cited",
        "--forced", "judged", "--only", "not_later",
    )  # fmt: skip

    assert "from bm25_title, judged (forced); seed" in capsys.readouterr().out
    manifest = Pool.objects.first().build.manifest
    assert (manifest["forced"], manifest["excluded"]) == (["judged"], ["cited"])
    assert manifest["only"] == ["not_later"]


def test_leaving_out_the_cited_papers_needs_no_second_word(collection):
    call_command("build_pools", "small", "--n", "1", "--run", "bm25_title", "--excluded", "cited")

    assert Pool.objects.first().build.manifest["forced"] == []


def test_a_contradiction_ends_the_command_in_words(collection):
    with pytest.raises(CommandError, match="judged is both"):
        call_command("build_pools", "small", "--forced", "judged", "--excluded", "judged")


def test_judgments_are_drawn_from_only_where_they_are_named(collection):
    form = PoolPlanForm(collection=collection)
    build = built(collection, runs=())

    assert "judged" in dict(form.fields["runs"].choices)
    assert "judged" not in form.fields["runs"].initial
    assert "judged" not in {run["name"] for run in build.manifest["runs"]}
