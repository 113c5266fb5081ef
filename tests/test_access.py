"""Roles × addresses: who may open what. A new address must be added here by hand."""

from __future__ import annotations

import pytest

from accounts.models import User
from accounts.services import add_member
from corpus.models import Sample
from corpus.screening import draw_sample
from jobs.models import Job
from tests import builders
from tests.addresses import addresses, patterns

pytestmark = pytest.mark.django_db

NOT_HERE = {
    "run",
    "run-file",
    "run-list",
    "version",
    "version-changes",
    "release-file",
    "pool-manifest",
    "comparison",
    "system",
    "model-judge",
    "practice",
    "own-training",
}  # this world has none
ANYONE = {"invitation", "public-releases", "public-version", "public-file", "robots", "healthz"}
LOGGED_IN = {"home", "new-collection", "account", "own-data", "make-token", "revoke-token", "ask-erasure"}
SUPERUSERS = {"everyone", "server-person", "server-record", "erase-person", "remove-factors"}
MEMBERS = {"collection", "guideline"}
ANNOTATORS = {"work", "workspace", "judge-more", "judge-pair", "judge-later", "review", "own-training"}
ADJUDICATORS = {"queue", "case-work", "case-more", "case", "decisions"}
POST_ONLY = {
    *("invite", "withdraw-invitation", "remove-person", "cancel-job", "delete-query", "delete-run", "freeze-pools"),
    *("discard-pools", "judge-later", "hand-over", "close-queries", "build-runs", "compute-agreement"),
    *("build-baselines", "make-folds", "delete-model", "close-practice", "release-public"),
}

# The addresses of the API.
ANYONE |= {"api-schema"}
LOGGED_IN |= {"api-collections-list"}
MEMBERS |= {"api-collections-detail", "api-guideline-list"}
ANNOTATORS |= {"api-judging-list", "api-judging-pairs", "api-judging-pair"}
ADJUDICATORS |= {"api-cases-list", "api-cases-pairs", "api-cases-pair"}
POST_ONLY |= {
    *("api-queries-topics", "api-runs-build", "api-pool-sets-freeze", "api-labels-judgments", "api-jobs-cancel"),
}
NOT_HERE |= {
    *("api-runs-detail", "api-runs-lists", "api-pool-sets-manifest", "api-agreement-list"),
    *("api-releases-detail", "api-releases-download"),
}


@pytest.fixture
def world(query, people, papers):
    """Something at every address: judged pairs, a case, a sample to screen, a job."""
    draw_sample(sample=Sample(collection=query.collection, seed="s"))
    for number, pair in enumerate(query.pairs.order_by("pk")[:4]):
        builders.judge(pair, people.ann, 1)
        builders.judge(pair, people.bob, number % 3)
    Job.objects.create(collection=query.collection, kind="compute_agreement")
    return query.collection


def statuses(client, collection) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for name, path in addresses(collection):
        found.setdefault(name, set()).add(client.get(path).status_code)
    return found


def test_everybody_is_asked_to_log_in(world, client):
    for name, path in addresses(world):
        if name not in ANYONE:
            answer = client.get(path)
            if name.startswith("api-"):
                assert answer.status_code == 401, name
                continue
            assert answer.status_code == 302, name
            assert answer["Location"].startswith("/accounts/login/"), name


def test_strangers_find_nothing(world, as_):
    builders.person("stranger")
    for name, codes in statuses(as_("stranger"), world).items():
        if name not in ANYONE | LOGGED_IN | SUPERUSERS | POST_ONLY:
            assert codes == {404}, name


@pytest.mark.parametrize(
    ("username", "own"), [("ann", ANNOTATORS | MEMBERS), ("ada", ADJUDICATORS | MEMBERS), ("admin", None)]
)
def test_a_role_opens_its_own_pages_and_no_others(world, as_, username, own):
    annotators_and_adjudicators = ANNOTATORS | ADJUDICATORS
    for name, codes in statuses(as_(username), world).items():
        if name in ANYONE | LOGGED_IN | SUPERUSERS:
            continue
        allowed = name in own if own is not None else name not in annotators_and_adjudicators
        if not allowed:
            assert codes <= {403, 405}, (name, codes)
        elif name in POST_ONLY:
            assert codes == {405}, (name, codes)
        else:
            assert codes <= {200, 302, 404}, (name, codes)
            assert codes & {200, 302} or name in NOT_HERE, name


@pytest.mark.parametrize("username", ["ann", "ada"])
def test_posting_to_anothers_page_is_refused(world, as_, username):
    own = {"ann": ANNOTATORS, "ada": ADJUDICATORS}[username] | MEMBERS | LOGGED_IN | ANYONE
    client = as_(username)
    for name, path in addresses(world):
        if name not in own:
            assert client.post(path).status_code in {403, 405}, name


def test_the_servers_pages_are_for_superusers(world, as_, people):
    for username, shown in (("admin", {403, 405}), ("root", {200, 405})):
        User.objects.filter(pk=builders.person("root").pk).update(is_superuser=True)
        codes = statuses(as_(username), world)
        assert codes.keys() >= SUPERUSERS
        assert set().union(*(codes[name] for name in SUPERUSERS)) == shown


def test_a_member_of_one_collection_finds_nothing_of_another(world, as_, people):
    theirs = list(addresses(world))
    other = builders.collection("other")
    add_member(collection=other, user=builders.person("eva"), roles=["admin", "annotator", "adjudicator"])
    client = as_("eva")
    for name, path in theirs:
        if name in ANYONE | LOGGED_IN | SUPERUSERS:
            continue
        assert client.get(path).status_code in {404, 405}, name
        elsewhere = path.replace(f"/{world.slug}/", "/other/")
        codes = {client.get(elsewhere).status_code, client.post(elsewhere).status_code}
        if any(kind in pattern_of(name) for kind in ("<int:", "<uuid:", "<str:token>")):
            assert codes <= {404, 405, 409} or name == "withdraw-invitation", (name, codes)


def pattern_of(name: str) -> str:
    return next(route for route, pattern in patterns() if pattern.name == name)
