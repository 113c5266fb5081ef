"""CSFCube's release as each tool loads it, and one of its own rankings scored on it."""

from __future__ import annotations

import json
import re

import pytest

from bundle.options import ReleaseOptions, Texts
from release.services import build_bundle
from release.snapshot import take_snapshot
from release.snapshot.documents import stored_documents
from tests.support.release_loaders import READERS, a_fixed_run, by_beir, read_beir, scores, unpack
from tests.support.releases import EVERY_EXCEPTION

pytestmark = [
    pytest.mark.csfcube,
    pytest.mark.django_db,
    pytest.mark.one_database,
    pytest.mark.by_day(4),
]

NDCG_OF_SPECTER = 0.3363086142987522  # nDCG@10, mean over the queries
LABELS = {"background": 1877, "method": 2174, "all": 4051}


@pytest.fixture(scope="session")
def specter(csfcube):
    """SPECTER's ranking of the pool of every query under `method`."""
    folder = csfcube / "eval_scripts" / "sample_ranked_pools"
    ranked = json.loads((folder / "test-pid2pool-csfcube-specter-method-ranked.json").read_text())
    return {
        f"{paper}_method": {docno: -float(score) for docno, score in candidates}
        for paper, candidates in ranked.items()
    }


def test_every_tool_reads_all_labels_and_scores_a_run_the_same(bundle_folder):
    for facet, labels in LABELS.items():
        expected = by_beir(bundle_folder, facet)
        assert sum(map(len, expected.values())) == labels
        run = a_fixed_run(expected)
        for tool, read in READERS.items():
            qrels = read(bundle_folder, facet)
            assert qrels == expected, tool
            assert scores(qrels, run) == scores(expected, run), tool


def test_specter_scores_the_same_with_the_labels_of_every_tool(bundle_folder, specter):
    found = {tool: scores(read(bundle_folder, "method"), specter) for tool, read in READERS.items()}

    first, *others = found.values()
    assert len(first) == 17
    assert all(other == first for other in others)
    assert sum(first.values()) / 17 == pytest.approx(NDCG_OF_SPECTER)


def test_every_document_and_the_sentences_of_the_facet_are_there(bundle_folder, released):
    corpus, queries, _ = read_beir(bundle_folder / "beir", "method")
    documents = {d.docno: d for d in stored_documents(released, Texts.POOLED)}
    query = released.queries.select_related("query_paper__document", "facet").get(
        name="10010426_method"
    )

    assert len(corpus) == len(documents) == 4207
    for docno, line in corpus.items():
        assert line["text"] == " ".join(documents[docno].sentences)
    assert queries[query.name] == " ".join([documents["10010426"].title, *query.text_to_compare])


def runs_of_words(text: str) -> set[tuple[str, ...]]:
    """Every six words in a row. No two texts that differ have many in common."""
    words = re.findall(r"\w+", text)
    return set(zip(*(words[start:] for start in range(6)), strict=False))


def test_without_texts_no_file_has_a_title_or_an_abstract(released, tmp_path):
    documents = stored_documents(released, Texts.POOLED)
    texts = runs_of_words(" | ".join(" ".join([row.title, *row.sentences]) for row in documents))
    snapshot = take_snapshot(released, ReleaseOptions(texts=Texts.NONE))
    folder = unpack(build_bundle(snapshot, "1.0", EVERY_EXCEPTION), tmp_path)

    for path in folder.rglob("*"):
        if path.is_file():
            assert not texts & runs_of_words(path.read_text(errors="replace")), path
