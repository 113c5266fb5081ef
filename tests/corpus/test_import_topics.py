import gzip
import json

import pytest
from django.core.management import CommandError, call_command

from corpus.documents.importing import import_documents
from corpus.formats.document_lines import DocumentFormatError
from corpus.formats.topics import read_topics
from corpus.services import DEFAULT_FACETS, CorpusError, create_query
from corpus.topics.importing import TopicIdsTaken, TopicReport, import_topics
from corpus.topics.queries import remove_query
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
        (topic.line, topic.name, topic.title, topic.sentences)
        for topic in read_topics(path, name=path.name, **options).topics
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
        assert read_topics(path, name="x").topics[0].narrative.endswith("must name one.")

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
        ("text", "format_name"),
        [
            ('{"_id": "7", "text": "Two words"}', "JSON Lines of BEIR (_id)"),
            ('{"qid": 7, "query": "Two words"}', "JSON Lines of PyTerrier (qid)"),
            ('{"query_id": "7", "text": "Two words"}', "JSON Lines of ir_datasets (query_id)"),
            ('{"id": "7", "title": "Two words"}', "JSON Lines of Pyserini (id)"),
            ('{"id": "7", "contents": "Two words"}', "JSON Lines of Pyserini (id)"),
            ("7\tTwo words", "id, tab, text"),
            ("qid\tquery\n7\tTwo  words\r\n", "id, tab, text"),
            ("<top>\n<num>7<title>Two words", "TREC topics (<top>)"),
            ("<topics><topic number='7'><query>Two words</query></topic></topics>",
             "TREC topics in XML (<topic number>)"),
        ],
    )  # fmt: skip
    def test_every_format_is_detected(self, write, text, format_name):
        found = read_topics(write(text), name="t")

        assert found.format == format_name
        assert [(topic.name, topic.title, topic.description) for topic in found.topics] == [
            ("7", "Two words", "")
        ]

    def test_title_description_and_narrative_of_json_lines_are_kept_apart(self, write):
        path = write('{"qid": "1", "title": "T", "description": "Do. See.", "narrative": "N"}')

        (topic,) = read_topics(path, name="t").topics

        assert topic[2:6] == ("T", "Do. See.", "N", ("Do.", "See."))

    def test_a_topic_with_only_a_description_has_it_as_its_title(self, write):
        (topic,) = read_topics(write("<top><num>1<desc>What is it?</top>"), name="t").topics

        assert (topic.title, topic.description) == ("What is it?", "")

    def test_subtopics_are_left_out_and_counted(self, write):
        path = write(
            '<webtrack2009><topic number="1" type="faceted"><query>obama</query><description>Find '
            'it.</description><subtopic number="1" type="nav">One.</subtopic><subtopic number="2">'
            "Two.</subtopic></topic></webtrack2009>"
        )

        found = read_topics(path, name="t")

        assert found.subtopics == 2
        assert [topic[1:5] for topic in found.topics] == [("1", "obama", "Find it.", "")]

    @pytest.mark.parametrize(
        ("text", "line", "reason"),
        [
            ("", None, "has no topics"),
            ("<html></html>", None, "has no topics"),
            ("\n<top><title>A</top>", 2, "has no id"),
            ("<top><num>1</top>", 1, "has no text"),
            ("<top><num>1 2<title>A</top>", 1, "white space"),
            ('{"_id": "1", "text": "A"}\n{', 2, "not JSON"),
            ('{"_id": "1"}', 1, "has no text"),
            ('{"text": "A"}', 1, "has no id"),
            ("1\tA\n2 B\n", 2, "has no tab"),
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
            collection=collection,
            files={path.name: path},
            facet_key=facet_key,
            work=DirectRun(),
            **options,
        )

    def test_a_topic_becomes_a_query_and_no_document(self, collection, write):
        report = self.bring(collection, write(OLD))

        assert (report.created, report.unchanged) == (2, 0)
        assert report.formats == ("TREC topics (<top>)",)
        paper = collection.queries.get(name="301_method").query_paper
        assert (paper.name, paper.document) == ("301", None)
        assert paper.topic.title == "International Organized Crime"
        assert paper.topic.description == "Identify organizations. Where known, say & how."
        assert paper.topic.sentences == ["Identify organizations.", "Where known, say & how."]
        assert paper.topic.narrative == "A relevant document must name one."
        assert not collection.documents.exists()

    def test_a_topic_may_have_the_id_of_a_document(self, collection, write):
        DocumentFactory(collection=collection, docno="301")

        self.bring(collection, write(OLD))
        import_documents(
            collection=collection,
            path=write('{"docno": "302", "title": "A", "abstract": "B."}', name="d.jsonl"),
            work=DirectRun(),
        )

        assert set(collection.documents.values_list("docno", flat=True)) == {"301", "302"}
        assert set(collection.topics.values_list("name", flat=True)) == {"301", "302"}

    def test_the_same_file_again_changes_nothing(self, collection, write):
        path = write(BEIR)
        self.bring(collection, path)

        report = self.bring(collection, path)

        assert (report.created, report.unchanged) == (0, 2)
        assert collection.queries.count() == 2

    def test_a_topic_can_be_a_query_under_two_facets(self, collection, write):
        self.bring(collection, write(OLD))
        self.bring(collection, write(OLD), facet_key="result")

        assert collection.topics.count() == collection.query_papers.count() == 2
        assert collection.queries.filter(query_paper__name="301").count() == 2

    def test_several_files_are_one_import(self, collection, write):
        files = {"a": write(OLD, "a"), "b": write("303\tOne more\n", "b")}

        report = import_topics(
            collection=collection, files=files, facet_key="method", work=DirectRun()
        )

        assert (report.created, report.formats) == (3, ("TREC topics (<top>)", "id, tab, text"))

    def test_topics_that_differ_on_an_id_are_one_message(self, collection, write):
        files = {"a": write("1\tOne\n1\tOne\n", "a"), "b": write("1\tB\n2\tC\n2\tD\n", "b")}

        with pytest.raises(TopicIdsTaken) as caught:
            import_topics(collection=collection, files=files, facet_key="method", work=DirectRun())

        assert "2 topics have ids that are already in use" in str(caught.value)
        assert "b:1: column 1 is 1, which is already in a:1 with another" in str(caught.value)
        assert not collection.topics.exists()

    def test_a_prefix_tells_topics_of_two_files_apart(self, collection, write):
        self.bring(collection, write(OLD))
        other = write(OLD.replace("Identify", "Name"))

        with pytest.raises(CorpusError, match="<num> is 301, which is a topic with another text"):
            self.bring(collection, other)

        self.bring(collection, other, topic_prefix="b")
        assert set(collection.topics.values_list("name", flat=True)) == {
            *("301", "302", "b301", "b302")
        }

    def test_the_id_of_another_query_is_refused(self, collection, write):
        DocumentFactory(collection=collection, docno="a")
        query = create_query(collection=collection, docno="a", facet_key="method")
        query.name = "t1_method"
        query.save()

        with pytest.raises(CorpusError, match='"_id" is t1, and t1_method is a query of another'):
            self.bring(collection, write('{"_id": "t1", "text": "A"}'))

    def test_a_document_with_the_id_of_a_topic_cannot_be_a_query(self, collection, write):
        self.bring(collection, write(OLD))
        DocumentFactory(collection=collection, docno="301")

        with pytest.raises(CorpusError, match="301 is a topic with queries in small"):
            create_query(collection=collection, docno="301", facet_key="method")

    def test_a_removed_query_takes_its_topic_along(self, collection, write):
        self.bring(collection, write(OLD))
        self.bring(collection, write(OLD), facet_key="result")

        remove_query(query=collection.queries.get(name="301_method"))
        assert collection.topics.count() == 2
        remove_query(query=collection.queries.get(name="301_result"))

        assert set(collection.topics.values_list("name", flat=True)) == {"302"}
        assert self.bring(collection, write(OLD)).created == 1

    def test_one_facet_needs_no_name(self, collection, write):
        with pytest.raises(CorpusError, match="Choose one of background, method, result"):
            self.bring(collection, write(OLD), facet_key="")

        other = a_collection("other", facets=DEFAULT_FACETS[2:])
        self.bring(other, write(OLD), facet_key="")
        assert other.queries.filter(name="301_result").exists()

    def test_a_facet_that_is_not_there_is_refused(self, collection, write):
        with pytest.raises(CorpusError, match="Unknown facet 'taste'"):
            self.bring(collection, write(OLD), facet_key="taste")

    def test_the_command_says_what_it_did(self, collection, write, capsys):
        path = write(OLD)

        call_command("import_topics", "small", str(path), facet="result")

        assert capsys.readouterr().out == (
            "small: topics 2 created, 0 unchanged; read as TREC topics (<top>).\n"
        )
        with pytest.raises(CommandError, match="cannot be read"):
            call_command("import_topics", "small", str(path) + "x", facet="result")
