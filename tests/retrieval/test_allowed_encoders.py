"""Which encoders the browser and the API may name: those of the setting ENCODERS."""

import pytest

from corpus.services import create_query
from jobs import services
from jobs.context import DirectRun
from jobs.models import Job, State
from pooling.services import PoolPlan, build_pools, request_pools
from retrieval.errors import RetrievalError
from retrieval.models import Run
from retrieval.retrievers.encoder import Encoder
from retrieval.services import available_retrievers, check_allowed, request_run
from tests.pooling.test_pages import address, client_of
from tests.retrieval.test_encoder import Network
from tests.support.factories import DocumentFactory, a_collection
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PLAN = {"strategy": "interleaved", "interleaved-n": "1", "cited": "forced", "depth": "9"}


@once_a_file
def collection():
    collection = a_collection()
    for name in ("q1", "d1", "d2"):
        DocumentFactory(collection=collection, docno=name)
    create_query(collection=collection, docno="q1", facet_key="method")
    return collection


def test_none_may_be_named_unless_the_setting_names_it(settings):
    assert settings.ENCODERS == []
    for name in ("encoder:any/model", "encoder:/etc", "encoder:../x?pooling=cls"):
        with pytest.raises(RetrievalError, match="setting ENCODERS, which now has none"):
            check_allowed(name)


def test_a_named_one_may_be_named_with_any_of_its_settings(settings):
    settings.ENCODERS = ["/models/one?pooling=cls", "encoder:some/two"]

    for name in ("encoder:/models/one", "encoder:/models/one?metric=l2", "encoder:some/two"):
        check_allowed(name)
    for name in ("encoder:/models", "encoder:/models/one/../three", "encoder:/models/one/"):
        with pytest.raises(RetrievalError, match="which now has /models/one, some/two"):
            check_allowed(name)


def test_the_pages_offer_those_of_the_setting(collection, settings):
    assert not [name for name in available_retrievers() if name.startswith("encoder:")]
    settings.ENCODERS = ["/models/one?pooling=cls"]

    for page in ("plan-pools", "add-run"):
        assert (
            'value="encoder:/models/one?pooling=cls"' in client_of("admin").get(address(page)).text
        )


def test_a_run_or_a_plan_with_another_is_not_queued(collection):
    with pytest.raises(RetrievalError, match="ENCODERS"):
        request_run(collection=collection, name="encoder:/etc", requested_by=None)
    with pytest.raises(RetrievalError, match="ENCODERS"):
        request_pools(
            collection=collection, plan=PoolPlan(runs=("encoder:/etc",)), requested_by=None
        )
    assert not Job.objects.exists()


def test_the_form_says_so_beside_the_name(collection):
    page = client_of("admin").post(address("build-pools"), {**PLAN, "more": "encoder:/etc"})

    assert page.status_code == 422
    assert "The encoder /etc is not allowed" in page.context["form"].errors["more"][0]
    assert not Job.objects.exists()


def test_the_page_of_runs_says_so(collection):
    page = client_of("admin").post(address("retrieve"), {"name": "encoder:/etc"}, follow=True)

    assert "setting ENCODERS" in page.text
    assert not Job.objects.exists()


def test_a_run_that_the_machine_s_owner_made_may_be_drawn_from(collection):
    Run.objects.create(collection=collection, name="encoder:/models/one", kind="encoder")

    job = request_pools(
        collection=collection, plan=PoolPlan(runs=("encoder:/models/one",)), requested_by=None
    )

    assert job.parameters["runs"] == ["encoder:/models/one"]


def test_but_no_job_makes_it_anew(collection):
    Run.objects.create(collection=collection, name="encoder:/models/one", kind="encoder")
    job = request_pools(
        collection=collection, plan=PoolPlan(runs=("encoder:/models/one",)), requested_by=None
    )

    services.run(job.pk)

    job.refresh_from_db()
    assert job.state == State.FAILED
    assert "setting ENCODERS" in job.error
    assert not collection.jobs.filter(kind="retrieve").exists()


def test_the_form_takes_one_that_is_allowed_ticked_or_typed(collection, settings):
    settings.ENCODERS = ["/models/one?pooling=cls", "two"]
    sent = {**PLAN, "runs": ["encoder:two"], "more": "encoder:/models/one?metric=l2"}

    client_of("admin").post(address("build-pools"), sent)

    runs = Job.objects.get().parameters["runs"]
    assert runs == ["encoder:two", "encoder:/models/one?metric=l2"]


def test_the_commands_may_name_any(collection, monkeypatch):
    monkeypatch.setattr(Encoder, "_network", lambda self: Network())
    plan = PoolPlan(parameters={"n": 1}, runs=("encoder:my/own",), depth=9)

    build = build_pools(collection=collection, plan=plan, work=DirectRun())

    assert build.pools.get().retriever_order == ["encoder:my/own"]
