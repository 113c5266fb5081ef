"""OpenAlex, the Academic Graph, the ACL Anthology, BibTeX and PubMed: files and their errors."""

import gzip
import json
import re

import pytest

from corpus.formats.document_lines import BadLine, DocumentFormatError, DocumentRecord
from corpus.formats.latex import plain_text
from corpus.formats.sources import JoinedSource, open_source
from tests.docs.markdown import ROOT, blocks_of

SAMPLES = {
    block.language.partition(" ")[2]: block.text for block in blocks_of(ROOT / "docs/formats.md")
}
GRAPH = ("papers.jsonl", "abstracts.jsonl", "citations.jsonl")


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    return write


def read(*paths, **options):
    source = JoinedSource.of([open_source(path, **options) for path in paths])
    return source.format_name, list(source.lines())


@pytest.mark.parametrize(
    ("names", "format_name", "record"),
    [
        (
            ["openalex.jsonl"],
            "openalex",
            DocumentRecord(
                "W1",
                "On slow queries",
                ("Slow queries wait.", "We time queries twice."),
                year=2012,
                venue="Journal of Waiting",
                authors=("Ada Writer",),
                references=("W2",),
                fields=("Computer Science",),
                language="en",
                has_full_text=True,
            ),
        ),
        (
            GRAPH,
            "s2ag",
            DocumentRecord(
                "11",
                "On queues",
                ("Queues grow.", "We count them."),
                year=2015,
                venue="Queue Days",
                authors=("Ben Reader",),
                references=("12",),
                fields=("Computer Science",),
            ),
        ),
        (
            ["anthology.xml"],
            "acl",
            DocumentRecord(
                "2031.invented-main.1",
                "On Parsers",
                ("Parsers guess.", "We let them ask."),
                year=2031,
                venue="Proceedings of an Invented Meeting",
                authors=("Ada Writer",),
                has_full_text=True,
            ),
        ),
        (
            ["anthology.bib"],
            "bibtex",
            DocumentRecord(
                "2031.invented-main.2",
                "On Taggers",
                ("Taggers rest.", "We wake them up."),
                year=2031,
                venue="Proceedings of an Invented Meeting",
                authors=("Ada Writer", "José Müller"),
                has_full_text=True,
            ),
        ),
        (
            ["pubmed.xml"],
            "pubmed",
            DocumentRecord(
                "900001",
                "Tea against boredom.",
                ("Boredom is common", "We served tea.", "All were content."),
                ("background", "method", "method"),
                year=1999,
                venue="Invented Medicine",
                authors=("Ada Writer",),
                references=("900002",),
                fields=("Tea",),
                language="eng",
            ),
        ),
    ],
)
def test_the_samples_of_the_docs_are_detected_and_read(write, names, format_name, record):
    found, lines = read(*(write(f"{name}.gz", SAMPLES[name]) for name in names))

    assert (found, [line.record for line in lines]) == (format_name, [record])


def test_a_csv_has_lists_with_the_separator_of_its_mapping(write):
    commands = (block.text for block in blocks_of(ROOT / "docs/formats.md"))
    columns = re.search(r'--columns "(.+separator=.+)"', "".join(commands))[1]

    (line,) = read(write("papers.csv", SAMPLES["papers.csv"]), columns=columns)[1]

    assert line.record.authors == ("Ada Writer", "Ben Reader")
    assert (line.record.references, line.record.year) == (("c2", "c3"), 2004)


class TestAcademicGraph:
    def test_a_folder_of_datasets_is_searched_and_other_datasets_are_skipped(self, write, tmp_path):
        for name in GRAPH:
            write(f"graph/{name.partition('.')[0]}/2031_part0.gz", SAMPLES[name])
        write("graph/authors/part0.gz", json.dumps({"authorid": "5", "name": "B"}) + "\n")
        write("graph/s2orc/part0.gz", json.dumps({"corpusid": 11, "content": {"text": "All."}}))
        write("graph/tldrs/part0.gz", json.dumps({"corpusid": 11, "model": "m", "text": "T"}))

        format_name, (line,) = read(tmp_path / "graph")

        assert format_name == "s2ag"
        assert (line.record.sentences[0], line.record.has_full_text) == ("Queues grow.", True)

    def test_a_line_of_another_dataset_is_invalid_with_its_file_and_line(self, write):
        paths = [write(name, SAMPLES[name]) for name in GRAPH]
        paths[2].write_text(SAMPLES["citations.jsonl"] + "\n" + SAMPLES["abstracts.jsonl"])

        bad = [line for line in read(*paths)[1] if isinstance(line, BadLine)]

        assert [str(line.error)[:50] for line in bad] == [
            "citations.jsonl:3: the line is of abstracts, and t"
        ]

    def test_without_papers_it_says_what_is_missing(self, write):
        with pytest.raises(DocumentFormatError, match=r"^abstracts\.jsonl: no file has the datas"):
            read(write("abstracts.jsonl", SAMPLES["abstracts.jsonl"]))


class TestXml:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (
                ("</Article>", "</Articl>"),
                r"pubmed\.xml:16: not well-formed XML \(mismatched tag\)",
            ),
            (
                ("</PubmedArticleSet>", ""),
                r"pubmed\.xml:26: not well-formed XML \(no element found",
            ),
            (
                ("<PubmedArticleSet>", '<!DOCTYPE P [<!ENTITY a "b">]>\n<PubmedArticleSet>'),
                r"pubmed\.xml:2: the file declares an entity",
            ),
            (
                ("<PubmedArticleSet>", "<PubmedArticleSet>" + "<a>" * 300),
                r"pubmed\.xml:2: more than 200 elements are inside each other",
            ),
        ],
    )
    def test_a_bad_file_is_refused_with_its_line(self, write, change, message):
        with pytest.raises(DocumentFormatError, match=message):
            read(write("pubmed.xml", SAMPLES["pubmed.xml"].replace(*change)), format_name="pubmed")

    def test_a_bad_record_is_one_bad_line_with_its_id(self, write):
        sample = SAMPLES["pubmed.xml"].replace("<PMID>900001</PMID>", "<PMID>900 001</PMID>")
        article = re.search(r"<PubmedArticle>.+</PubmedArticle>", SAMPLES["pubmed.xml"], re.DOTALL)
        text = sample.replace("</PubmedArticleSet>", f"{article[0]}</PubmedArticleSet>")

        bad, good = read(write("pubmed.xml", text))[1]

        assert str(bad.error).startswith('pubmed.xml:3: PMID 900 001: "docno" must not contain wh')
        assert good.record.docno == "900001"

    @pytest.mark.parametrize(
        ("collection", "volume", "paper", "docno"),
        [
            ("P19", "1", "2", "P19-1002"),
            ("W08", "20", "3", "W08-2003"),
            ("D19", "57", "4", "D19-5704"),
            ("2020.acl", "main", "7", "2020.acl-main.7"),
        ],
    )
    def test_a_paper_without_an_address_has_the_id_of_the_anthology(
        self, write, collection, volume, paper, docno
    ):
        text = (
            f'<collection id="{collection}"><volume id="{volume}"><paper id="{paper}">'
            "<title>T</title></paper></volume></collection>"
        )
        assert read(write("a.xml", text))[1][0].record.docno == docno


class TestBibtex:
    def test_an_open_entry_is_one_bad_line_and_the_next_is_read(self, write):
        text = '@article{a,\n  title = {T\n}\n\n@article{b,\n  title = {T} # " U", year = 1999\n}\n'
        bad, good = read(write("a.bib", text))[1]

        assert str(bad.error) == "a.bib:1: the entry is not closed. Add the missing brace."
        assert (good.number, good.record) == (5, DocumentRecord("b", "T U", (), year=1999))

    @pytest.mark.parametrize(
        ("latex", "text"),
        [
            (
                r"Guzm{\'a}n, {\v{C}}ech, Erd\H{o}s, \'{\i}, Na\"ive",
                "Guzmán, Čech, Erdős, í, Naïve",
            ),
            (r"{\ss}, \o re, {\L}ukasz, \c{c}a", "ß, øre, Łukasz, ça"),
            (r"30\% of A\&B at \$5, a\_b, \{x\}, C\# ", "30% of A&B at $5, a_b, {x}, C#"),
            (r"{BERT} ``or'' 1--2 --- \emph{so}~it", "BERT “or” 1–2 — so it"),
            (r"O($n^{2} \log n$) \'e", r"O($n^{2} \log n$) é"),
        ],
    )
    def test_latex_becomes_text(self, latex, text):
        assert plain_text(latex) == text
