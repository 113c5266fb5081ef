"""What is in the files of a release, and what is not."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re

import ir_measures
import pytest
import yaml

from accounts.models import User
from accounts.services import add_member
from annotation.guidelines import save_guideline
from annotation.models import Slot
from corpus.models import Document
from release.datasheet import save_answers
from retrieval.models import Run
from tests.builders import judge
from tests.real_data import SHARED
from tests.release.helpers import built, files_of, pair_of, unpacked

pytestmark = pytest.mark.django_db


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_qrels_hold_the_labels_by_query_then_document(judged):
    files = files_of(built(judged).content)
    assert files["trec/qrels.all.txt"] == (
        "7 0 d10 3\n7 0 d11 1\nd00_background 0 d01 0\nd00_background 0 d02 1\nd00_method 0 d01 2\nd00_method 0 d02 3\n"
    )
    assert files["trec/qrels.method.txt"] == "d00_method 0 d01 2\nd00_method 0 d02 3\n"
    assert files["beir/qrels/test.tsv"].startswith("query-id\tcorpus-id\tscore\n7\td10\t3\n")
    assert json.loads(files["hf/qrels/method.jsonl"].splitlines()[0]) == {
        "query-id": "d00_method",
        "corpus-id": "d01",
        "score": 2,
    }
    assert "trec/qrels.result.txt" not in files  # tools refuse empty qrels


def test_ir_measures_reads_the_qrels(judged, tmp_path):
    unpacked(built(judged).content, tmp_path)
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "trec/qrels.all.txt")))
    run = [ir_measures.ScoredDoc("d00_method", "d02", 2.0), ir_measures.ScoredDoc("d00_method", "d01", 1.0)]
    (found,) = [each for each in ir_measures.iter_calc([ir_measures.nDCG @ 2], qrels, run) if each.value]
    assert (len(qrels), found.query_id, found.value) == (6, "d00_method", 1.0)


def test_pairs_without_a_label_are_listed_and_in_no_qrels(judged):
    labels = rows(files_of(built(judged).content)["labels.csv"])
    assert [(row["docno"], row["how"], row["grade"]) for row in labels if row["query"] == "d00_method"] == [
        ("d01", "agreed", "2"),
        ("d02", "decided", "3"),
        ("d03", "set aside", ""),
        ("d04", "undecided", ""),
    ]


def test_a_judgment_is_not_released_before_the_other_is_in(judged):
    files = files_of(built(judged).content)
    assert not [row for row in rows(files["ratings.csv"]) if row["query"] == "d00_method" and row["docno"] == "d05"]
    assert "d05" in files["pools.csv"]


def test_people_have_pseudonyms_that_do_not_follow_from_their_names(judged, people):
    before = built(judged).content
    assert {row["annotator"] for row in rows(files_of(before)["ratings.csv"])} == {"annotator-1", "annotator-2"}
    for name, other in (("ann", "zoe"), ("bob", "abe"), ("ada", "kim")):
        User.objects.filter(username=name).update(username=other, name=f"Name of {other}")
    assert built(judged).content == before


def test_notes_of_judges_and_adjudicators_are_not_released(judged, people):
    query = judged.queries.get(name="d00_method")
    judge(pair_of(query, "d01"), people.ann, 2, note="between us")
    content = built(judged).content
    assert b"between us" not in content
    assert b"Wrong text" not in content


def test_texts_of_documents_are_there_only_when_asked_for(judged):
    without, with_texts = (files_of(built(judged, with_texts=texts).content) for texts in (False, True))
    assert not [name for name, text in without.items() if "On d0" in text or "d01 works" in text]
    assert json.loads(with_texts["beir/corpus.jsonl"].splitlines()[0]) == {
        "_id": "d00",
        "title": "On d00",
        "text": "Why d00 matters. How d00 works. What d00 found.",
        "metadata": {
            "year": 2000,
            "venue": "",
            "authors": [],
            "sentences": ["Why d00 matters.", "How d00 works.", "What d00 found."],
            "labels": ["background", "method", "result"],
        },
    }
    assert "d00_method\tOn d00 How d00 works.\n" in with_texts["trec/topics.tsv"]
    assert without["trec/topics.tsv"] == "7\tHarbour dues What do ships pay?\n"  # a topic is of the collection itself


def test_croissant_names_every_file_and_cuts_the_labels_out_of_the_qrels(judged):
    Document.objects.filter(docno="d01").update(docno="007")
    content = built(judged, with_texts=True).content
    files = files_of(content)
    about = json.loads(files["croissant.json"])
    digests = {each["contentUrl"]: each["sha256"] for each in about["distribution"]}
    expected = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    assert digests == {name: expected[name] for name in files.keys() - {"croissant.json", "MANIFEST.json"}}
    cut = [each["source"]["transform"]["regex"] for each in about["recordSet"][0]["field"]]
    lines = files["trec/qrels.all.txt"].splitlines()
    found = [[re.match(regex, line)[1] for regex in cut] for line in lines]
    assert found == [[row["query"], row["docno"], row["grade"]] for row in rows(files["labels.csv"]) if row["grade"]]
    Document.objects.filter(docno="007").update(docno="0,07")  # the reader of Croissant would cut it at the comma
    assert json.loads(files_of(built(judged).content)["croissant.json"])["recordSet"] == []


def test_csfcube_files_have_the_keys_and_lists_of_the_published_ones(judged):
    files = files_of(built(judged, with_texts=True).content)
    pools = json.loads(files["csfcube/test-pid2pool-papers.json"])
    assert pools["d00"]["cands"] == ["d01", "d02", "d03", "d04", "d05"]
    assert pools["d00"]["cand_source"][:2] == [["cited", "bm25"], ["bm25"]]
    found = json.loads(files["csfcube/test-pid2anns-papers-method.json"])["d00"]
    numbers = sorted(key for key in found if key.startswith("relevance_ann"))
    assert found["cands"] == ["d01", "d02"]
    assert (found["relevance_max"], found["relevance_min"], found["relevance_adju"]) == ([2, 3], [2, 0], [2, 3])
    assert sorted(found[number] for number in numbers) == [[2, 0], [2, 3]]
    splits = json.loads(files["csfcube/evaluation_splits.json"])
    assert splits["all"] == {
        "fold1_dev": ["d00_background"],
        "fold1_test": ["d00_method"],
        "fold2_dev": ["d00_method"],
        "fold2_test": ["d00_background"],
    }


@pytest.mark.csfcube
@pytest.mark.skipif(not (SHARED / "csfcube").exists(), reason="the CSFCube release is not here")
def test_csfcube_files_are_shaped_as_the_release(judged):
    files = files_of(built(judged).content)
    for ours, published in (
        ("test-pid2anns-papers-method.json", "test-pid2anns-csfcube-method.json"),
        ("test-pid2pool-papers.json", "test-pid2pool-csfcube.json"),
        ("evaluation_splits.json", "evaluation_splits.json"),
    ):
        theirs = json.loads((SHARED / "csfcube" / published).read_text())
        assert shape(json.loads(files[f"csfcube/{ours}"])) == shape(theirs), published


def shape(entries: dict[str, dict[str, list]]) -> tuple[set[str], set[type]]:
    """The keys of all entries, without the numbers of annotators, and the types of what is in their lists."""
    keys = {key.rstrip("1234") if "ann" in key else key for entry in entries.values() for key in entry}
    return keys, {type(item) for entry in entries.values() for items in entry.values() for item in items}


def test_ids_keep_their_bytes_and_names_run_no_formula(judged):
    Document.objects.filter(docno="d01").update(docno="=1+1")
    Document.objects.filter(docno="d02").update(docno="007")
    Run.objects.filter(name="bm25").update(name="=cmd()")
    files = files_of(built(judged).content)
    for name in ("trec/qrels.all.txt", "beir/qrels/test.tsv", "hf/qrels/method.jsonl", "labels.csv", "pools.csv"):
        assert "=1+1" in files[name], name
        assert "'=1+1" not in files[name], name
        assert "007" in files[name], name
    assert rows(files["pools.csv"])[2]["run"] == "'=cmd()"


def test_a_pool_says_who_drew_a_candidate_and_how_each_run_ranks_it(judged):
    pools = rows(files_of(built(judged).content)["pools.csv"])
    assert pools[0] == {
        "query": "7",
        "round": "1",
        "position": "1",
        "docno": "d10",
        "source": "cited",
        "run": "bm25",
        "rank": "1",
        "score": "0.1",
        "drawn": "False",
    }


def test_text_of_people_is_only_text_in_the_readme(judged):
    judged.name = 'A | "B" <script>\n# Head'
    judged.description = "# Not a head\n[link](javascript:x)\n\n- no list"
    judged.licence = "Ours: only"
    judged.save()
    save_answers(collection=judged, answers={"purpose": "![x](http://x) <img>"})
    files = files_of(built(judged, notes="**Bold**").content)
    for name in ("README.md", "DATASHEET.md"):
        text = files[name]
        assert "<script>" not in text, name
        assert "<img>" not in text, name
        assert "](" not in text.replace("\\](", ""), name
        assert "\n# Head" not in text, name
    readme = files["README.md"]
    assert "\\*\\*Bold\\*\\*" in readme
    assert "\n\\# Not a head" in readme
    front = yaml.safe_load(readme.split("---\n")[1])
    assert (front["pretty_name"], front["license"], front["license_name"]) == (judged.name, "other", "Ours: only")


def test_every_data_set_of_the_readme_is_there(judged):
    files = files_of(built(judged, with_texts=True).content)
    front = yaml.safe_load(files["README.md"].split("---\n")[1])
    names = {config["config_name"]: config["data_files"][0]["path"] for config in front["configs"]}
    assert names["default"] == ["hf/qrels/all.jsonl", "hf/qrels/background.jsonl", "hf/qrels/method.jsonl"]
    assert {"queries", "corpus", "qrels-method"} < set(names)
    assert {path for paths in names.values() for path in paths} <= set(files)


def test_the_guideline_of_the_judgments_is_there(judged):
    save_guideline(collection=judged, facet="method", text="Look <b>at</b> it.", grades=[{}] * 4, change="", by=None)
    assert "Look &lt;b>at&lt;/b> it." in files_of(built(judged).content)["GUIDELINE.md"]


@pytest.mark.parametrize("role", ["annotator", "admin"])
def test_a_release_says_when_a_judge_could_see_the_sources(judged, people, role):
    add_member(collection=judged, user=people.ann, roles=[role])
    is_told = "Not blind to sources" in files_of(built(judged).content)["README.md"]
    assert is_told == (role == "admin")


def test_a_collection_without_a_label_makes_a_draft_all_the_same(collection):
    assert files_of(built(collection).content)["trec/qrels.all.txt"] == ""


@pytest.mark.parametrize("database", ["this one", pytest.param("PostgreSQL", marks=pytest.mark.postgresql)])
def test_the_same_labels_give_the_same_bytes_on_every_database(judged, database):
    """The digests change when a format does, and then on purpose."""
    content = built(judged, with_texts=True).content
    for slot in Slot.objects.order_by("-pk"):  # PostgreSQL moves a changed row to another place
        slot.save(update_fields=["position"])
    assert built(judged, with_texts=True).content == content
    files = files_of(content)
    of_others = ("MANIFEST.json", "croissant.json")  # they have the digests of texts
    data = {name: files[name] for name in files if not name.endswith((".md", ".py")) and name not in of_others}
    assert hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest() == (
        "068cbb25e6a1410bacbccb0c23a3caca414e90f075e5024b4258b4ebc985c8c3"
    )
