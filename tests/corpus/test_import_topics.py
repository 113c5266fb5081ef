import gzip
import json

import pytest
from django.core.management import CommandError, call_command

from corpus.document_import import import_documents
from corpus.formats import DocumentFormatError
from corpus.models import Document
from corpus.services import CorpusError
from corpus.topic_import import TopicReport, import_topics
from corpus.topics import read_topics
from jobs.context import DirectRun
from tests.support.factories import DocumentFactory, a_collection

OLD = """\
<top>
<num> Number: 301
<title> International Organized
Crime

<desc> Description:
Identify organizations. Where known, say &amp; how.

<narr> Narrative:
A relevant document must name one.

</top>

<top>
<num> Number: 302
<title> Poliomyelitis
</top>
"""
NEW = """\
<?xml version="1.0"?>
<topics task="covid">
  <topic number="1">
    <query>coronavirus origin</query>
    <question>what is the origin of COVID-19</question>
    <narrative>seeking range of information</narrative>
  </topic>
</topics>
"""
BEIR = (
    json.dumps({"_id": "q1", "text": "Is it. So?", "metadata": {}}) + "\n\n"
    '{"_id": 2, "text": "Two"}\n'
)


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "topics.txt"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def read(path, **options):
    return [
        (topic.line, topic.record.docno, topic.record.title, topic.record.sentences)
        for topic in read_topics(path, name=path.name, **options)
    ]


class TestFormat:
    def test_topics_of_the_old_tracks_are_read_though_no_tag_is_closed(self, write):
        path = write(OLD)

        assert read(path) == [
            (
                1,
                "301",
                "International Organized Crime",
                ("Identify organizations.", "Where known, say & how."),
            ),
            (14, "302", "Poliomyelitis", ("Poliomyelitis",)),
        ]
        assert read_topics(path, name="x")[0].narrative == "A relevant document must name one."

    def test_topics_of_later_tracks_are_read(self, write):
        assert read(write(NEW)) == [
            (3, "1", "coronavirus origin", ("what is the origin of COVID-19",))
        ]

    def test_queries_of_beir_are_read(self, write):
        assert read(write(BEIR)) == [
            (1, "q1", "Is it. So?", ("Is it.", "So?")),
            (3, "2", "Two", ("Two",)),
        ]

    def test_gzip_is_read_the_same(self, write, tmp_path):
        packed = tmp_path / "topics.gz"
        packed.write_bytes(gzip.compress(OLD.encode()))

        assert read(packed) == read(write(OLD))

    @pytest.mark.parametrize(
        ("text", "line", "reason"),
        [
            ("", None, "has no topics"),
            ("<html></html>", None, "has no topics"),
            ("\n<top><title>A</top>", 2, "has no id"),
            ("<top><num>1</top>", 1, "has no text"),
            ("<top><num>1 2<title>A</top>", 1, "white space"),
            ("<top><num>1<title>A</top>\n<top><num>1<title>B</top>", 2, "is already in line 1"),
            ('{"_id": "1", "text": "A"}\n{', 2, "not JSON"),
            ('{"_id": "1"}', 1, "has no text"),
            ('{"_id": ["1"], "text": "A"}', 1, "must be text"),
            ('{"_id": "1", "text": ["A"]}', 1, "must be text"),
        ],
    )
    def test_what_is_wrong_is_said_with_its_line(self, write, text, line, reason):
        with pytest.raises(DocumentFormatError) as caught:
            read(write(text))

        assert caught.value.line == line
        assert reason in caught.value.reason


@pytest.mark.django_db
class TestImport:
    @pytest.fixture
    def collection(self):
        return a_collection()

    def bring(self, collection, path, facet_key="method", **options) -> TopicReport:
        return import_topics(
            collection=collection, path=path, facet_key=facet_key, work=DirectRun(), **options
        )

    def test_a_topic_becomes_a_query_whose_sentences_are_of_the_facet(self, collection, write):
        report = self.bring(collection, write(OLD))

        assert report == TopicReport(created=2, unchanged=0)
        query = collection.queries.get(name="301_method")
        document = query.query_paper.document
        assert (document.is_topic, document.labels) == (True, ["method", "method"])
        assert document.digest == document.text_digest()
        assert query.query_paper.metadata == {"narrative": "A relevant document must name one."}

    def test_a_topic_is_never_among_what_is_indexed(self, collection, write):
        DocumentFactory(collection=collection, docno="d1")
        self.bring(collection, write(OLD))

        indexed = Document.objects.filter(collection=collection).with_text()
        assert [document.docno for document in indexed] == ["d1"]

    def test_the_same_file_again_changes_nothing(self, collection, write):
        path = write(BEIR)
        self.bring(collection, path)

        assert self.bring(collection, path) == TopicReport(created=0, unchanged=2)
        assert collection.queries.count() == 2

    def test_an_id_that_is_a_document_is_refused_and_a_prefix_helps(self, collection, write):
        DocumentFactory(collection=collection, docno="302")
        path = write(OLD)

        with pytest.raises(
            CorpusError, match=r"topics\.txt:14: 302 is already a document .* prefix"
        ):
            self.bring(collection, path)

        self.bring(collection, path, prefix="t")
        assert set(collection.queries.values_list("name", flat=True)) == {
            "t301_method",
            "t302_method",
        }

    def test_a_topic_with_another_text_is_refused(self, collection, write):
        self.bring(collection, write(OLD))

        with pytest.raises(CorpusError, match="301 is already a topic with another text"):
            self.bring(collection, write(OLD.replace("Identify", "Name")))

    def test_no_document_takes_the_place_of_a_topic(self, collection, write):
        self.bring(collection, write(OLD))
        path = write('{"docno": "301", "title": "A", "abstract": "B."}', name="d.jsonl")

        with pytest.raises(CorpusError, match=r"d\.jsonl:1: 301 is a topic in"):
            import_documents(collection=collection, path=path, work=DirectRun())

    def test_a_facet_that_is_not_there_is_refused(self, collection, write):
        with pytest.raises(CorpusError, match="Unknown facet 'taste'"):
            self.bring(collection, write(OLD), facet_key="taste")

    def test_the_command_says_what_it_did(self, collection, write, capsys):
        path = write(OLD)

        call_command("import_topics", "small", str(path), facet="result")

        assert capsys.readouterr().out == "small: topics 2 created, 0 unchanged.\n"
        with pytest.raises(CommandError, match="cannot be read"):
            call_command("import_topics", "small", str(path) + "x", facet="result")
