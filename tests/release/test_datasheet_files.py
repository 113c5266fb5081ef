"""`datasheet.md`, the citation files, the licences and `croissant.json` of a release."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile

import pytest
import yaml

from bundle.datasheet.questions import QUESTIONS, SECTIONS
from bundle.layouts.croissant import TABLES
from bundle.options import ReleaseOptions, Texts
from bundle.zip.writing import BadName, zip_entry
from release.services import build_bundle
from release.snapshot import take_snapshot
from tests.support.datasheets import ANSWERS, answer_datasheet
from tests.support.factories import member
from tests.support.release_scenes import a_judged_collection

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

ANSWERED = {
    "purpose": "# Not a heading\n\n- <b>no</b> list\n\n## Uses",
    "authors": "Carberry, Josiah; Brown University; 0000-0002-1825-0097\nThe Library",
    "address": "https://doi.org/10.5281/zenodo.1234567",
    "paper": "10.1145/1234567.1234568",
    "keywords": "papers, facets",
    "released_on": "2026-06-30",
    "preprocessing": "Split into sentences.",
}
OTHERS = {"description": "Papers: “alike” & <useful>.", "corpus_licence": "ODC-By-1.0"}


def files_of(collection, options=ReleaseOptions()) -> dict[str, bytes]:  # noqa: B008 - frozen
    reasons = {"datasheet": "Later.", "licence": "Later."}
    bundle = build_bundle(take_snapshot(collection, options), "1.0", reasons)
    with zipfile.ZipFile(io.BytesIO(bundle.content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def files(rolled_back, tmp_path_factory) -> dict[str, bytes]:
    """Those of a collection whose datasheet has every kind of answer."""
    with rolled_back():
        collection = a_judged_collection(**OTHERS)
        answer_datasheet(collection, **ANSWERED)
        for username, degree in {"ann1": "master", "ann2": "master", "ann3": "master"}.items():
            person = member(collection, "annotator", username)
            collection.annotator_profiles.create(user=person, degree=degree, english="first")
        yield files_of(collection)


@pytest.fixture(scope="module")
def bare(rolled_back) -> dict[str, bytes]:
    """Those without an answer, a licence or a text."""
    with rolled_back():
        collection = a_judged_collection(slug="bare", licence="", corpus_licence="")
        collection.datasheet_answers.all().delete()
        yield files_of(collection, ReleaseOptions(texts=Texts.NONE))


def headings(text: str) -> list[str]:
    return re.findall(r"^#+ .*", text, re.MULTILINE)


# datasheet.md


def test_the_datasheet_has_every_section_and_answer_and_no_heading_of_an_answer(files):
    text = files["datasheet.md"].decode()
    asked = [QUESTIONS[key].label for key in (*ANSWERS, *ANSWERED) if key != "collection_dates"]

    assert [line for line in headings(text) if line.startswith("## ")] == [
        f"## {section.title}" for section in SECTIONS
    ]
    assert sorted(line for line in headings(text) if line.startswith("### ")) == sorted(
        f"### {label}" for label in set(asked)
    )
    assert r"\# Not a heading" in text
    assert "\\- &lt;b&gt;no&lt;/b&gt; list" in text


def test_the_datasheet_fills_in_what_the_database_knows(files):
    text = files["datasheet.md"].decode()

    for fact in (
        "- **Description**: Papers: “alike” &amp; &lt;useful&gt;.",
        "- **Queries**: 3, of which 3 have a label",
        "- **Final labels**: 8",
        "| background | 1 | 3 | 3 | 3.0 | 3 | 3 | 3 | 2 | 0 | 1 | 0 |",
        "- **Candidates by the source that drew them**: bm25_title 6",
        "- **Annotators**: 2",
        "- **Judgments**: 18, of which 3 have no grade",
        "- **Pace**: 12.5 seconds a judgment, on average",
        "| background | before |",
        "- **Licence of the texts**: ODC-By-1.0",
        "| Highest degree, or degree in progress | Master | 3 |",
    ):
        assert fact in text
    assert re.search(r"- \*\*Judged\*\*: From \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d \(UTC\)", text)
    assert re.search(r"- \*\*Splits\*\*: 2 folds with", text)


def test_a_required_question_without_an_answer_says_so(bare):
    text = bare["datasheet.md"].decode()

    assert text.count("Not answered.") == 13
    assert "has the ids of documents and no texts" in text


def test_no_person_of_the_server_is_in_these_files(files):
    for name in ("datasheet.md", "croissant.json", "CITATION.cff", ".zenodo.json"):
        assert not re.search(rb"(?<!-)\b(ann[123]|adju|admin)\b", files[name])


# CITATION.cff and .zenodo.json


def test_the_citation_file_has_the_keys_of_its_format(files, bare):
    """cffconvert 2.0 finds both valid; it needs an older jsonschema than this project."""
    citation = yaml.safe_load(files["CITATION.cff"])

    assert citation == {
        "cff-version": "1.2.0",
        "message": "Cite this version of the test collection with these data.",
        "type": "dataset",
        "title": "Small",
        "version": "1.0",
        "abstract": OTHERS["description"],
        "authors": [
            {
                "family-names": "Carberry",
                "given-names": "Josiah",
                "affiliation": "Brown University",
                "orcid": "https://orcid.org/0000-0002-1825-0097",
            },
            {"name": "The Library"},
        ],
        "license": "CC-BY-4.0",
        "doi": "10.5281/zenodo.1234567",
        "date-released": "2026-06-30",
        "keywords": ["papers", "facets"],
    }
    without = yaml.safe_load(bare["CITATION.cff"])
    assert without["authors"] == [{"name": "Bare"}]
    assert not {"license", "doi", "url", "date-released", "abstract"} & set(without)


def test_zenodos_file_has_the_documented_keys(files, bare):
    deposit = json.loads(files[".zenodo.json"])

    assert deposit["upload_type"] == "dataset"
    assert deposit["title"] == "Small, version 1.0"
    assert deposit["creators"] == [
        {
            "name": "Carberry, Josiah",
            "affiliation": "Brown University",
            "orcid": "0000-0002-1825-0097",
        },
        {"name": "The Library"},
    ]
    assert "<p>Papers: “alike” &amp; &lt;useful&gt;.</p>" in deposit["description"]
    assert "Licence of the texts: ODC-By-1.0." in deposit["description"]
    assert (deposit["license"], deposit["publication_date"]) == ("cc-by-4.0", "2026-06-30")
    assert deposit["related_identifiers"] == [
        {"identifier": "10.1145/1234567.1234568", "relation": "isDescribedBy", "scheme": "doi"}
    ]
    without = json.loads(bare[".zenodo.json"])
    assert set(without) == {
        *("title", "upload_type", "description", "creators", "version", "keywords")
    }


def test_of_hidden_files_only_zenodos_is_allowed():
    zip_entry(".zenodo.json")
    for name in (".zenodo.jsonx", ".profile", "a/.zenodo.json", ".zenodo.json/a", "../x"):
        with pytest.raises(BadName):
            zip_entry(name)


# LICENSE and LICENSE-CORPUS


def test_labels_and_texts_have_their_own_licences(files):
    assert "SPDX-License-Identifier: CC-BY-4.0\n" in files["LICENSE"].decode()
    assert "https://spdx.org/licenses/CC-BY-4.0.html" in files["LICENSE"].decode()
    assert "It does not cover the texts of documents." in files["LICENSE"].decode()
    assert "SPDX-License-Identifier: ODC-By-1.0\n" in files["LICENSE-CORPUS"].decode()


def test_a_missing_licence_is_said_in_the_files(bare):
    assert "No licence is stated." in bare["LICENSE"].decode()
    assert "No licence is stated." in bare["LICENSE-CORPUS"].decode()
    assert "This release has only their ids." in bare["LICENSE-CORPUS"].decode()


def test_another_licence_is_named_as_it_was_written():
    collection = a_judged_collection(slug="own", licence="Our own\nlicence")

    assert "Licence: Our own licence\n" in files_of(collection)["LICENSE"].decode()


# croissant.json


def test_croissant_names_every_other_file_with_its_size_and_checksum(files):
    described = json.loads(files["croissant.json"])
    written_later = {"croissant.json", "README.md", "manifest.json", "SHA256SUMS"}

    assert {item["@id"] for item in described["distribution"]} == set(files) - written_later
    for item in described["distribution"]:
        content = files[item["contentUrl"]]
        assert item["sha256"] == hashlib.sha256(content).hexdigest()
        assert item["contentSize"] == f"{len(content)} B"
        assert item["description"]


def test_the_record_sets_of_croissant_name_columns_that_their_files_have(files):
    described = json.loads(files["croissant.json"])
    assert [record_set["@id"] for record_set in described["recordSet"]] == [
        table.name for table in TABLES
    ]
    for record_set in described["recordSet"]:
        for field in record_set["field"]:
            file = files[field["source"]["fileObject"]["@id"]]
            first = file.decode().splitlines()[0]
            columns = list(json.loads(first)) if first[0] == "{" else re.split(r"[,\t]", first)
            assert field["source"]["extract"]["column"] in columns


def test_croissant_has_the_answers_in_the_fields_of_responsible_ai(files):
    described = json.loads(files["croissant.json"])

    assert described["conformsTo"] == [
        "http://mlcommons.org/croissant/1.1",
        "http://mlcommons.org/croissant/RAI/1.0",
    ]
    assert described["rai:dataUseCases"] == ["Our answer to recommended_uses."]
    assert described["rai:dataPreprocessingProtocol"] == ["Split into sentences."]
    assert described["rai:personalSensitiveInformation"] == ["Our answer to sensitive_content."]
    assert (
        "Highest degree, or degree in progress: Master 3"
        in (described["rai:annotatorDemographics"])
    )
    assert described["rai:annotationsPerItem"] == "2"
    assert len(described["rai:dataCollectionTimeFrame"]) == 2
    assert described["license"] == [
        "https://spdx.org/licenses/CC-BY-4.0.html",
        "https://spdx.org/licenses/ODC-By-1.0.html",
    ]
    assert described["datePublished"] == "2026-06-30"


def test_without_texts_croissant_has_no_documents(bare):
    described = json.loads(bare["croissant.json"])

    assert "documents" not in {record_set["@id"] for record_set in described["recordSet"]}
    assert "license" not in described
    assert "datePublished" not in described


def test_mlcroissant_reads_every_record_set(files, tmp_path):
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    import mlcroissant  # for a second, in each worker, if it were above

    dataset = mlcroissant.Dataset(jsonld=tmp_path / "croissant.json")

    assert not dataset.metadata.ctx.issues.errors
    sizes = {
        record_set.uuid: sum(1 for _ in dataset.records(record_set=record_set.uuid))
        for record_set in dataset.metadata.record_sets
    }
    assert sizes == {"qrels": 8, "queries": 3, "documents": 6, "ratings": 18}
