"""A plan says what is known beforehand and what may be drawn; no pool goes against it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Collection
from corpus.models import Document, QueryPaper
from pooling.services import PoolingError, PoolPlan, default_forced
from pooling.services.draw import draw_pool
from pooling.services.eligibility import Eligible
from pooling.services.manifest import plan_of
from pooling.services.plans import ONLY
from pooling.strategies import BUDGET, STRATEGIES
from retrieval.formats import Scored
from retrieval.retrievers import build_corpus_metadata

DOCNOS = [f"d{number}" for number in range(12)]
FIELDS = ("CS", "Maths")
# Of these, a strategy gets those that it has; any other has its default.
SMALL = {"n": 2, "k": 4, "size": 5, "depth": 8, "top": 4, "bounds": [2, 8], "rates": [1.0, 0.5]}
PARAMETERS = {
    name: {each.name: SMALL[each.name] for each in strategy.parameters if each.name in SMALL}
    for name, strategy in STRATEGIES.items()
}

years = st.none() | st.integers(2000, 2004)
fields = st.lists(st.sampled_from(FIELDS), unique=True).map(tuple)
lists = st.lists(st.sampled_from(DOCNOS), unique=True).map(
    lambda docnos: [Scored(docno, float(-rank)) for rank, docno in enumerate(docnos)]
)
corpora = st.fixed_dictionaries({docno: st.tuples(years, fields) for docno in DOCNOS})


def a_paper(year, of, references):
    document = Document(docno="q", year=year, fields=list(of), references=references, sentences=[])
    return QueryPaper(collection=Collection(seed="s"), document=document, name=document.docno)


def eligible_by(corpus, plan):
    facts = [(docno, *corpus[docno]) for docno in sorted(corpus, reverse=True)]
    papers = build_corpus_metadata(facts, lambda _: None)
    places = {docno: place for place, docno in enumerate(papers.docnos)}
    return Eligible(papers, places, plan.requirements)


def may(docno, corpus, plan, paper):
    """The rule in its own words, a document at a time."""
    year, of = corpus[docno]
    query = paper.document
    in_time = query.year is None or (year is not None and year <= query.year)
    related = not query.fields or bool(set(of) & set(query.fields))
    return (in_time or "not_later" not in plan.only) and (related or "same_field" not in plan.only)


@given(
    strategy=st.sampled_from(sorted(STRATEGIES)),
    ranked=st.dictionaries(st.sampled_from(["bm25", "tfidf", "own"]), lists, min_size=1),
    judged=lists,
    use=st.sampled_from(["forced", "excluded"]),
    cited=st.sampled_from(["forced", "excluded", "drawn"]),
    references=st.lists(st.sampled_from([*DOCNOS, "elsewhere"])),
    corpus=corpora,
    year=years,
    of=fields,
    only=st.lists(st.sampled_from(ONLY), unique=True).map(tuple),
)
def test_known_documents_are_whole_or_absent_and_only_eligible_ones_are_drawn(
    strategy, ranked, judged, use, cited, references, corpus, year, of, only
):
    sources = {"judged": use, "cited": cited}
    plan = PoolPlan(
        strategy,
        PARAMETERS[strategy],
        forced=tuple(name for name in sources if sources[name] == "forced"),
        excluded=tuple(name for name in sources if sources[name] == "excluded"),
        only=only,
    )
    paper = a_paper(year, of, references)
    eligible = eligible_by(corpus, plan) if only else None
    everything = {**ranked, "judged": judged}
    documents = {
        "judged": {scored.docno for scored in judged},
        "cited": set(references) & set(corpus),
    }

    drawn, contributions = draw_pool(paper, plan, everything, corpus.keys(), eligible)
    turned = dict(reversed(everything.items()))
    again = draw_pool(paper, plan, turned, corpus.keys(), eligible)

    assert (drawn, contributions) == again
    forced = {docno for name in plan.forced for docno in documents[name]}
    whole = [entry.docno for entry in drawn.entries if entry.drawer in plan.forced]
    assert whole == [entry.docno for entry in drawn.entries[: len(whole)]]
    assert set(whole) == forced
    left_out = {docno for name in plan.excluded for docno in documents[name]} - forced
    assert set(drawn.order) == ranked.keys()
    for entry in drawn.entries[len(whole) :]:
        assert entry.docno not in left_out
        assert may(entry.docno, corpus, plan, paper)
        # The rank is the one in the whole list, with all that was passed over still in it.
        assert ranked[entry.drawer][entry.rank_of_drawer - 1].docno == entry.docno
    if strategy in ("interleaved", "sequential"):
        counts = dict.fromkeys(ranked, 0)
        for entry in drawn.entries[len(whole) :]:
            counts[entry.drawer] += 1
        assert all(counts[name] + drawn.shortfall[name] == 2 for name in ranked)
    if "size" in PARAMETERS[strategy]:
        assert len(drawn.entries) - len(whole) + drawn.shortfall.get(BUDGET, 0) == 5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"excluded": ("cited",)}, "cited is both forced and excluded"),
        ({"forced": ("judged",), "excluded": ("judged",)}, "judged is both"),
        ({"forced": ("judged",), "runs": ("judged",)}, "judged is forced, so nothing"),
        ({"excluded": ("judged",), "runs": ("judged",)}, "judged is excluded, so nothing"),
        ({"excluded": ("bm25_title",)}, "bm25_title is a built-in retriever"),
        ({"forced": ("random.same_field",)}, "is a built-in retriever"),
        ({"only": ("nearby",)}, "only: unknown requirement 'nearby'. Use same_field or not_later"),
        ({"strategy": "mdcr", "depth": 199}, "mdcr reads 200 documents of each list .top"),
        (
            {"strategy": "stratified", "depth": 99},
            "stratified reads 100 documents of each list .bounds",
        ),
        ({"parameters": {"n": 0}}, "n must be a whole number, at least 1, got 0"),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(PoolingError, match=message):
        PoolPlan(**changes).check()


def test_a_plan_survives_being_written_down():
    plan = PoolPlan(forced=("judged", "cited"), excluded=("old",), only=("same_field", "not_later"))
    assert PoolPlan.of(plan.as_json()).as_json() == plan.as_json()
    assert plan.as_json()["forced"] == ["cited", "judged"]


def test_a_plan_of_before_leaves_nothing_out():
    values = PoolPlan().as_json()
    del values["excluded"], values["only"]
    assert (PoolPlan.of(values).excluded, PoolPlan.of(values).only) == ((), ())


def test_cited_papers_are_forced_unless_they_are_left_out():
    assert default_forced(()) == default_forced(["judged"]) == ("cited",)
    assert default_forced(["cited"]) == ()


def a_manifest(*, excluded, **uses):
    runs = [{"name": name, "use": use} for name, use in uses.items()]
    return {**PoolPlan(excluded=excluded).as_json(), "runs": runs}


def test_a_manifest_s_plan_draws_from_the_runs_that_were_drawn_from():
    plan = plan_of(a_manifest(excluded=("judged",), specter="drawn", judged="excluded"))

    assert (plan.runs, plan.known_runs) == (("specter",), ["judged"])


def test_a_left_out_run_whose_name_became_a_retriever_s_is_read_and_not_asked_for():
    plan = plan_of(a_manifest(excluded=("bm25_text",), specter="drawn", bm25_text="excluded"))

    assert plan.known_runs == ["bm25_text"]
    with pytest.raises(PoolingError, match="bm25_text is a built-in retriever"):
        plan.check()
