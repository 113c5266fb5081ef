"""Indexes on storage that is mounted for reading only are opened, and answer as elsewhere."""

import pytest

from retrieval.indexes.folders import SEAL
from retrieval.retrievers import IndexedText, QueryText
from retrieval.retrievers import retriever as retriever_named
from retrieval.retrievers.cbow import Cbow
from retrieval.retrievers.encoder import Encoder
from retrieval.retrievers.word2vec import Training
from tests.retrieval.test_encoder import Network
from tests.support.disks import read_only

SMALL = Training(dimensions=8, epochs=1)
QUERY = QueryText("q", "cats", "cats and owls", 2020, ("3",), ("CS",))
DOCUMENTS = [
    IndexedText(str(number), "cats dogs", f"cats and {word}", 2000, ("3",), ("CS",))
    for number, word in enumerate(("owls", "dogs", "mice", "cats"))
]
ALL = [
    *map(
        retriever_named,
        ("bm25_abstract", "bm25_text", "tfidf_title", "graph", "most_cited", "random"),
    ),
    Cbow("title", training=SMALL),
    Cbow("abstract", weighted=True, training=SMALL),
    Encoder("m"),
]


def quiet(done):
    pass


@pytest.mark.parametrize("sealed", [False, True], ids=["never opened", "opened before"])
@pytest.mark.parametrize("retriever", ALL, ids=lambda retriever: retriever.name)
def test_an_index_that_cannot_be_written_answers_the_same(retriever, sealed, tmp_path, monkeypatch):
    monkeypatch.setattr(Encoder, "_network", lambda self: Network())
    written = tmp_path / "written"
    retriever.build(DOCUMENTS, written / "index", quiet)
    expected = list(retriever.open(written / "index").rank([QUERY], 9, quiet))
    if not sealed:
        (written / "index" / SEAL).unlink()
    with read_only(written, tmp_path / "read") as seen:
        with pytest.raises(OSError, match="Read-only"):
            (seen / "index" / "new").touch()
        assert list(retriever.open(seen / "index").rank([QUERY], 9, quiet)) == expected
        assert list((seen / "index").rglob("*")) == [
            seen / path.relative_to(written) for path in (written / "index").rglob("*")
        ]
