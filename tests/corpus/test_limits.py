"""Every kind of import reports by bytes, stops when it is cancelled, and has a limit."""

from __future__ import annotations

import gzip
import zipfile

import numpy as np
import pytest

from accounts.models import Collection
from corpus.documents.importing import import_documents
from corpus.formats.decompression import CHUNK, MEGABYTE, Meter, TooLarge, open_unpacked
from corpus.formats.document_lines import DocumentFormatError
from corpus.models import Document
from corpus.services import create_query
from corpus.topics.importing import import_topics
from jobs.context import DirectRun
from jobs.lease import Cancelled
from retrieval.errors import RetrievalError
from retrieval.models import Run
from retrieval.services import import_embeddings, import_run
from tests.support.factories import DocumentFactory, a_collection
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

# A few kB when packed. A line without spaces would mean as little, and take 64 times as long.
BLANK = (b" " * 63 + b"\n") * (3 * MEGABYTE // 64)
HOW_TO_RAISE = (
    "more than 1 MB when unpacked, which is the limit; import it in parts, or have the setting "
    "IMPORT_LIMIT_MB raised on the server"
)


@once_a_file
def collection() -> Collection:
    collection = a_collection()
    DocumentFactory(collection=collection, docno="d0")
    create_query(collection=collection, docno="d0", facet_key="method")
    return collection


class CancelledAfter(DirectRun):
    """A cancellation after so many reports."""

    def __init__(self, reports: int) -> None:
        super().__init__()
        self.left, self.reported = reports, []

    def progress(self, done, total, note="") -> None:
        self.reported.append((done, total))
        self.left -= 1
        if self.left < 0:
            raise Cancelled


def documents(collection, path, work):
    import_documents(collection=collection, path=path, work=work)


def topics(collection, path, work):
    import_topics(collection=collection, files={path.name: path}, facet_key="method", work=work)


def run(collection, path, work):
    import_run(collection=collection, path=path, filename=path.name, name="mine", work=work)


def qrels(collection, path, work):
    import_run(
        collection=collection, path=path, filename=path.name, name="mine", work=work, qrels=True
    )


def docnos(collection, path, work):
    vectors = path.parent / "v.npy"
    np.save(vectors, np.ones((1, 2), np.float32))
    import_embeddings(collection=collection, vectors=vectors, docnos=path, name="mine", work=work)


IMPORTS = [documents, topics, run, qrels, docnos]


def plain(path, content):
    path.write_bytes(content)


def packed(path, content):
    path.write_bytes(gzip.compress(content))


def zipped(path, content):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", content)


def zipped_gzip(path, content):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl.gz", gzip.compress(content))


WAYS = [(imported, write) for imported in IMPORTS for write in (plain, packed)] + [
    (documents, zipped),
    (documents, zipped_gzip),
]


def content_of(imported) -> bytes:
    """Nothing but blank lines. In a file of docnos they are an error, so that one has docnos."""
    if imported is docnos:
        return b"".join(b"document-number-%09d\n" % number for number in range(100_000))
    return BLANK


@pytest.mark.parametrize(("imported", "write"), WAYS)
def test_it_stops_when_it_is_cancelled_though_no_line_means_anything(
    collection, tmp_path, imported, write
):
    path = tmp_path / "file"
    write(path, content_of(imported))
    work = CancelledAfter(reports=3)
    with pytest.raises(Cancelled):
        imported(collection, path, work)
    assert len(work.reported) == 4


@pytest.mark.parametrize(("imported", "write"), WAYS)
def test_it_refuses_more_than_the_limit_when_unpacked(
    collection, tmp_path, settings, imported, write
):
    settings.IMPORT_LIMIT_MB = 1
    path = tmp_path / "file"
    write(path, content_of(imported))
    with pytest.raises((DocumentFormatError, RetrievalError)) as caught:
        imported(collection, path, DirectRun())
    assert str(caught.value).startswith("file")
    assert HOW_TO_RAISE in str(caught.value)
    assert (Document.objects.count(), Run.objects.count()) == (1, 0)


def test_vectors_larger_than_the_limit_are_refused(collection, tmp_path, settings):
    settings.IMPORT_LIMIT_MB = 1
    np.save(tmp_path / "v.npy", np.ones((300_000, 1), np.float32))
    (tmp_path / "d.txt").write_text("d0\n")
    with pytest.raises(RetrievalError, match=r"^v\.npy: more than 1 MB when unpacked"):
        import_embeddings(
            collection=collection,
            vectors=tmp_path / "v.npy",
            docnos=tmp_path / "d.txt",
            name="mine",
            work=DirectRun(),
        )


def test_the_limit_is_of_all_files_of_a_zip_together(collection, tmp_path, settings):
    settings.IMPORT_LIMIT_MB = 1
    path = tmp_path / "two.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(2):
            line = b'{"docno": "d%d", "title": "", "abstract": ""}\n' % number
            archive.writestr(f"{number}.jsonl", line + BLANK[: MEGABYTE * 2 // 3])
    with pytest.raises(DocumentFormatError, match=r"^two\.zip/1\.jsonl:\d+: more than 1 MB"):
        documents(collection, path, DirectRun())


def test_topics_have_a_lower_limit_of_their_own(collection, tmp_path, monkeypatch):
    monkeypatch.setattr("corpus.topics.importing.LARGEST", MEGABYTE)
    path = tmp_path / "topics"
    path.write_bytes(BLANK)
    with pytest.raises(DocumentFormatError, match=r"which is the limit; split the file$"):
        topics(collection, path, DirectRun())


def test_a_tagged_file_of_topics_is_limited_too(collection, tmp_path, settings):
    settings.IMPORT_LIMIT_MB = 1
    path = tmp_path / "topics"
    path.write_bytes(b"<top>" + BLANK)
    with pytest.raises(DocumentFormatError, match="more than 1 MB when unpacked"):
        topics(collection, path, DirectRun())


def test_a_file_of_nothing_but_open_tags_is_read_in_linear_time(collection, tmp_path):
    path = tmp_path / "topics"
    path.write_bytes(b"<top " * 200_000)  # took hours: each tag was followed to the end of the file
    with pytest.raises(DocumentFormatError, match="has no topics"):
        topics(collection, path, DirectRun())


def test_progress_counts_bytes_as_stored(collection, tmp_path):
    path = tmp_path / "docs.jsonl"
    line = b'{"docno": "d%d", "title": "", "abstract": ""}\n'
    path.write_bytes(b"".join(line % number for number in range(10_000)))
    work = CancelledAfter(reports=10**9)
    documents(collection, path, work)
    size = path.stat().st_size
    read = [done for done, total in work.reported if total == size]
    assert read == sorted(read)
    assert 0 < read[0] <= CHUNK
    assert read[-1] == size


def test_a_meter_counts_over_files(tmp_path):
    reports = []
    meter = Meter(on_read=reports.append, limit=10)
    for name, content in (("a", b"12345"), ("b", b"678")):
        (tmp_path / name).write_bytes(content)
        with open_unpacked(tmp_path / name, meter) as stream:
            assert stream.read() == content
    assert (meter.unpacked, meter.done, reports[-1]) == (8, 8, 8)
    with pytest.raises(TooLarge), open_unpacked(tmp_path / "a", meter) as stream:
        stream.read()
