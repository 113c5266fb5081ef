"""The importer on a small release made up here, and held to the numbers of the real one."""

import hashlib
import json
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from accounts.models import Collection, User
from adjudication.labels import labelled_pairs
from adjudication.models import Decision
from adjudication.standing import Standing
from annotation.guidelines.defaults import default_guidelines
from annotation.models import Judgment, Opening, Pair, Reason, Slot
from annotation.services import presentation_of
from corpus.models import Document
from csfcube.records import CSFCubeError
from csfcube.services import ImportRefused, import_csfcube
from pooling.models import Candidate, Contribution, ExclusionReason, Pool
from tests.support.factories import UserFactory, everything
from tests.support.pool_counts import check_pool_counts

POOLS = "test-pid2pool-csfcube.json"
METHOD = "test-pid2anns-csfcube-method.json"
TOOLS = "test-pid2anns-csfcube-tools.json"
QUERIES = "queries-release.csv"
METHOD_TEXTS = "readable_annotations/q1-method-adju.txt"
TOOLS_TEXTS = "readable_annotations/q1-tools-adju.txt"

RATINGS = {
    METHOD: {
        "q1": {
            "cands": ["c1", "c2", "c3", "q1"],
            "relevance_ann1": [3, 1, -1, 0],
            "relevance_ann3": [3, 2, 1, 2],
            "relevance_adju": [3, 2, 1, 3],
            "relevance_max": [3, 2, 1, 2],
        }
    },
    TOOLS: {
        "q1": {
            "cands": ["c3", "c1"],
            "relevance_ann4": [-1, 0],
            "relevance_ann2": [-1, 0],
            "relevance_adju": [-1, 0],
        }
    },
}
CANDIDATE = "adju relevance: Similar (+2)\ndifference: 0; annotator1: 2\nsources: cited\n"


def block(pid: str, *, candidate: bool = True, year: str = "2001", text: str = "") -> str:
    head = f"paper_id: {pid}; YEAR: {year}\n" + (CANDIDATE if candidate else "")
    text = text or f"background_label: We ask {pid}.\nmethod_label: We do\u2028{pid}."
    return f"{'=' * 35}\n{head}TITLE: Title {pid}\nABSTRACT: {text}\n\n"


def texts(*candidates: str) -> str:
    return block("q1", candidate=False) + "".join(block(pid) for pid in candidates)


@pytest.fixture
def release(tmp_path) -> Path:
    """One paper judged under two facets, one of them unheard of, and another never judged."""
    folder = tmp_path / "release"
    (folder / "readable_annotations").mkdir(parents=True)
    (folder / QUERIES).write_text(
        "pid,facet,year,title,paper type\r\n"
        'q1,method,2001,"Title, q1",resource\r\n'
        'q1,tools,2001,"Title, q1",resource\r\n'
        "q2,method,1999,Title q2,theory\r\n"
    )
    pools = {
        "q1": {
            "cands": ["c1", "c2", "q1", "c3", "c4"],
            "cand_source": [
                ["cited", "second"],
                ["second", "first"],
                ["second"],
                ["first", "second"],
                ["first"],
            ],
        },
        "q2": {"cands": ["c1", "c5"], "cand_source": [["cited"], ["first"]]},
    }
    (folder / POOLS).write_text(json.dumps(pools))
    for name, content in RATINGS.items():
        (folder / name).write_text(json.dumps(content))
    (folder / METHOD_TEXTS).write_text(texts("c1", "c2", "c3", "q1"))
    (folder / TOOLS_TEXTS).write_text(texts("c3", "c1"))
    return folder


def change(path: Path, old: str, new: str) -> None:
    content = path.read_bytes()
    assert old.encode() in content
    path.write_bytes(content.replace(old.encode(), new.encode(), 1))


@pytest.mark.django_db
class TestImport:
    @pytest.fixture
    def collection(self, release) -> Collection:
        import_csfcube(folder=release, slug="tiny")
        return Collection.objects.get(slug="tiny")

    def test_the_collection_says_what_it_is(self, collection):
        assert (collection.name, collection.licence) == ("CSFCube", "CC-BY-NC-4.0")
        assert collection.seed == "csfcube"

    def test_documents_bring_text_labels_and_year(self, collection):
        document = collection.documents.get(docno="c1")

        assert document.title == "Title c1"
        assert document.sentences == ["We ask c1.", "We do\u2028c1."]
        assert document.labels == ["background", "method"]
        assert document.year == 2001
        assert document.digest == document.text_digest()

    def test_a_query_paper_without_text_takes_title_and_year_from_the_list(self, collection):
        document = collection.documents.get(docno="q2")

        assert (document.title, document.year, document.sentences) == ("Title q2", 1999, [])

    def test_a_candidate_without_text_is_a_docno_alone(self, collection):
        document = collection.documents.get(docno="c5")

        assert (document.title, document.year, document.sentences) == ("", None, [])

    def test_a_facet_beyond_the_default_ones_is_made(self, collection):
        assert list(collection.facets.values_list("key", "labels")) == [
            ("background", ["background", "objective"]),
            ("method", ["method"]),
            ("result", ["result"]),
            ("tools", ["tools"]),
        ]

    def test_judged_facets_say_that_the_guideline_of_csfcube_defines_their_grades(self, collection):
        for opening in Opening.objects.of(collection).select_related("guideline"):
            guideline = opening.guideline
            assert "ann_guidelines.pdf in https://github.com/iesl/CSFCube" in guideline.instructions
            assert [grade["grade"] for grade in guideline.grades] == [0, 1, 2, 3]
            for grade in guideline.grades:
                assert grade["definition"] == "Defined in CSFCube’s own guideline"
                assert (grade["detail"], grade["example"]) == ("", "")

        judged = Opening.objects.of(collection).values_list("query__facet__key", flat=True)
        assert set(judged) == {"method", "tools"}

    def test_facets_without_labels_have_the_default_guideline(self, collection):
        guideline = collection.facets.get(key="result").guidelines.get()

        assert guideline.grades == default_guidelines()["result"]["grades"]

    def test_queries_are_named_and_described_as_listed(self, collection):
        assert list(collection.queries.values_list("name", flat=True)) == [
            "q1_method",
            "q1_tools",
            "q2_method",
        ]
        assert collection.query_papers.get(document__docno="q1").metadata == {
            "year": "2001",
            "title": "Title, q1",
            "paper type": "resource",
        }

    def test_a_query_without_ratings_stays_unjudged(self, collection):
        opened = Opening.objects.of(collection).values_list("query__name", flat=True)

        assert list(opened) == ["q1_method", "q1_tools"]

    def test_pools_are_frozen_in_the_order_of_the_draws(self, collection):
        pool = Pool.objects.get(query_paper__name="q1")

        assert pool.is_frozen
        assert list(pool.candidates.values_list("document__docno", "position")) == [
            ("c1", 1),
            ("c2", 2),
            ("q1", 3),
            ("c3", 4),
            ("c4", 5),
        ]
        assert pool.retriever_order == ["second", "first"]

    def test_the_first_source_drew_and_the_others_have_the_document(self, collection):
        contributions = Contribution.objects.filter(candidate__document__docno="c2")

        assert list(contributions.values_list("source", "drawn", "rank", "score")) == [
            ("second", True, None, None),
            ("first", False, None, None),
        ]

    def test_candidates_never_judged_stay_in_the_pool_with_the_reason(self, collection):
        excluded = Candidate.objects.exclude(excluded="")

        assert list(excluded.values_list("document__docno", "excluded").order_by("pk")) == [
            ("c4", ExclusionReason.NEVER_JUDGED),
            ("c5", ExclusionReason.NO_TEXT),
        ]

    def test_the_numbers_stored_with_a_pool_equal_a_recount(self, collection):
        assert check_pool_counts(collection) == Pool.objects.count()

    def test_the_manifest_holds_the_digest_of_every_file(self, collection, release):
        manifest = collection.pool_builds.get().manifest

        assert (manifest["source"], manifest["mode"]) == ("CSFCube", "sequential")
        assert set(manifest["files"]) == {
            QUERIES,
            POOLS,
            METHOD,
            TOOLS,
            METHOD_TEXTS,
            TOOLS_TEXTS,
        }
        content = (release / POOLS).read_bytes()
        assert manifest["files"][POOLS] == hashlib.sha256(content).hexdigest()

    @pytest.mark.parametrize(
        ("query", "annotators"),
        [
            ("q1_method", ["csfcube-annotator-1", "csfcube-annotator-3"]),
            ("q1_tools", ["csfcube-annotator-2", "csfcube-annotator-4"]),
        ],
    )
    def test_the_lower_annotator_has_slot_1(self, collection, query, annotators):
        slots = Slot.objects.filter(pair__query__name=query).order_by("number")
        seats = Opening.objects.get(query__name=query).seats.order_by("number")

        assert list(slots.values_list("annotator__username", flat=True).distinct()) == annotators
        assert list(seats.values_list("annotator__username", flat=True)) == annotators

    def test_every_rated_candidate_is_a_pair_and_no_other(self, collection):
        pairs = Pair.objects.filter(query__name="q1_tools")

        assert set(pairs.values_list("candidate__document__docno", flat=True)) == {"c1", "c3"}

    def test_judgments_and_final_labels_are_those_of_the_files(self, collection):
        labels = [
            (pair.query, pair.docno, pair.first, pair.second, pair.final, pair.standing)
            for pair in labelled_pairs(collection)
        ]

        assert labels == [
            ("q1_method", "c1", 3, 3, 3, Standing.AGREED),
            ("q1_method", "c2", 1, 2, 2, Standing.ADJUDICATED),
            ("q1_method", "c3", None, 1, 1, Standing.ADJUDICATED),
            ("q1_method", "q1", 0, 2, 3, Standing.ADJUDICATED),
            ("q1_tools", "c1", 0, 0, 0, Standing.AGREED),
            ("q1_tools", "c3", None, None, None, Standing.SET_ASIDE),
        ]
        assert Decision.objects.count() == 4

    def test_a_missing_rating_says_that_the_source_lacks_it(self, collection):
        reasons = Judgment.objects.filter(grade=None).values_list("reason", flat=True)

        assert list(reasons) == [Reason.SOURCE] * 3

    def test_a_judgment_carries_the_digest_of_what_its_pair_shows(self, collection):
        for judgment in Judgment.objects.select_related("slot__pair__query__opening__guideline"):
            pair = judgment.slot.pair
            shown = presentation_of(pair, pair.query.opening.guideline.version)
            assert judgment.presentation_digest == shown.digest
            assert judgment.slot.judgment_id == judgment.pk

    def test_people_cannot_log_in(self, collection, rf):
        for user in User.objects.filter(memberships__collection=collection):
            assert not user.is_active
            assert not user.has_usable_password()
            assert authenticate(rf.post("/"), username=user.username, password="") is None

    def test_people_have_the_roles_they_had(self, collection):
        roles = collection.memberships.values_list("user__username", "role").order_by("pk")

        assert list(roles) == [
            ("csfcube-annotator-1", "annotator"),
            ("csfcube-annotator-2", "annotator"),
            ("csfcube-annotator-3", "annotator"),
            ("csfcube-annotator-4", "annotator"),
            ("csfcube-adjudicator", "adjudicator"),
        ]

    def test_the_same_release_again_changes_nothing(self, collection, release):
        before = everything()

        report = import_csfcube(folder=release, slug="tiny")

        assert report.unchanged
        assert everything() == before

    def test_another_release_into_the_same_collection_is_refused(self, collection, release):
        change(release / METHOD, "[3, 2, 1, 3]", "[3, 1, 1, 3]")
        before = everything()

        with pytest.raises(ImportRefused, match="tiny exists and does not come from these files"):
            import_csfcube(folder=release, slug="tiny")
        assert everything() == before

    def test_two_collections_of_one_release_share_the_people(self, collection, release):
        people = User.objects.count()

        report = import_csfcube(folder=release, slug="again")

        assert not report.unchanged
        assert User.objects.count() == people

    def test_keys_are_the_same_in_every_import(self, collection):
        keys = sorted(str(key) for key in Judgment.objects.values_list("key", flat=True))

        assert hashlib.sha256("".join(keys).encode()).hexdigest()[:16] == "56e2e9123439e71e"

    def test_the_account_of_a_real_person_is_not_used(self, release):
        UserFactory(username="csfcube-annotator-3")

        with pytest.raises(ImportRefused, match="csfcube-annotator-3"):
            import_csfcube(folder=release)
        assert not Collection.objects.exists()
        assert User.objects.count() == 1

    def test_windows_line_ends_and_byte_order_marks_change_no_text(self, release):
        for name in (METHOD_TEXTS, TOOLS_TEXTS, QUERIES):
            content = (release / name).read_bytes().replace(b"\r\n", b"\n")
            (release / name).write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))

        import_csfcube(folder=release)

        assert Document.objects.get(docno="c1").sentences == ["We ask c1.", "We do\u2028c1."]


BROKEN = {
    "pools are not JSON": (POOLS, '"q2":', '"q2"', POOLS, "line 1, column"),
    "ratings are not JSON": (METHOD, "}}", "}", METHOD, "line 1, column"),
    "a paper has two pools": (POOLS, '"q2":', '"q1":', POOLS, "q1"),
    "sources of another length": (POOLS, '["cited"], ', "", POOLS, "q2"),
    "a candidate pooled twice": (POOLS, '"c1", "c5"', '"c1", "c1"', POOLS, "q2, cands[1]"),
    "a candidate that is no text": (POOLS, '"c1", "c5"', '"c1", 5', POOLS, "q2, cands[1]"),
    "no source": (POOLS, '["cited"]', "[]", POOLS, "q2, cand_source[0]"),
    "a source twice": (POOLS, 't", "second"]', 't", "first"]', POOLS, "q1, cand_source[3]"),
    "sources without a list": (POOLS, '["cited"]', '"cited"', POOLS, "q2, cand_source[0]"),
    "no list of candidates": (POOLS, '"cands": ["c1", "c5"]', '"x": []', POOLS, "q2"),
    "a pool without a query": (QUERIES, "q2,method,1999,Title q2,theory\r\n", "", POOLS, "q2"),
    "a query without a pool": (QUERIES, "q2,", "q3,", QUERIES, "q3_method"),
    "a query twice": (QUERIES, "q1,tools", "q1,method", QUERIES, "line 3"),
    "no facet column": (QUERIES, "facet", "aspect", QUERIES, "line 1"),
    "a row cut short": (QUERIES, "q2,method,1999", "q2,method", QUERIES, "line 4"),
    "a year that is none": (QUERIES, "1999", "199x", QUERIES, "line 4"),
    "two stories of one paper": (QUERIES, "2001", "2002", QUERIES, "q1_tools"),
    "an unclosed quote": (QUERIES, '"Title, q1"', '"Title, q1', QUERIES, "line "),
    "ratings of another length": (METHOD, "[3, 2, 1, 2], ", "[3, 2, 1], ", METHOD, "q1"),
    "a rating too high": (METHOD, "[3, 1, -1", "[4, 1, -1", METHOD, "q1, relevance_ann1[0]"),
    "a rating too low": (TOOLS, "[-1, 0]", "[-2, 0]", TOOLS, "q1, relevance_ann4[0]"),
    "a rating that is no number": (METHOD, "[3, 1,", "[true, 1,", METHOD, "q1, relevance_ann1[0]"),
    "half a rating": (METHOD, "[3, 1,", "[2.5, 1,", METHOD, "q1, relevance_ann1[0]"),
    "one annotator": (METHOD, "relevance_ann3", "relevance_bob", METHOD, "q1"),
    "three annotators": (METHOD, "relevance_max", "relevance_ann4", METHOD, "q1"),
    "no final labels": (METHOD, "relevance_adju", "relevance_x", METHOD, "q1"),
    "agreed, final another": (METHOD, "[3, 2, 1, 3]", "[2, 2, 1, 3]", METHOD, "relevance_adju[0]"),
    "a rating outside the pool": (TOOLS, '"c1"]', '"c9"]', TOOLS, "q1, cands[1]"),
    "ratings of a query not listed": (QUERIES, "q1,tools", "q1,result", TOOLS, "q1"),
    "ratings that are a list": (METHOD, '{"q1":', '[{"q1":', METHOD, "line 1"),
    "a text that differs": (TOOLS_TEXTS, "We ask c3", "We asked c3", TOOLS_TEXTS, "paper c3"),
    "a year that differs": (TOOLS_TEXTS, "c3; YEAR: 2001", "c3; YEAR: 7", TOOLS_TEXTS, "paper c3"),
    "a head that is none": (METHOD_TEXTS, "paper_id: c2;", "paper: c2;", METHOD_TEXTS, "line 17"),
    "no year": (METHOD_TEXTS, "c2; YEAR: 2001", "c2; YEAR: x", METHOD_TEXTS, "line 17"),
    "a block without sources": (METHOD_TEXTS, "sources: ", "source: ", METHOD_TEXTS, "line 11"),
    "a sentence without label": (METHOD_TEXTS, "method_label: ", "", METHOD_TEXTS, "line 5"),
    "an empty sentence": (METHOD_TEXTS, "label: We ask q1.", "label: ", METHOD_TEXTS, "line 4"),
    "text before the first block": (METHOD_TEXTS, "=" * 35, "x", METHOD_TEXTS, "line 1"),
}  # fmt: skip


@pytest.mark.django_db
class TestBrokenReleases:
    @pytest.mark.parametrize("what", BROKEN)
    def test_it_is_refused_with_file_and_place(self, release, what):
        name, old, new, file, place = BROKEN[what]
        change(release / name, old, new)

        with pytest.raises(CSFCubeError) as caught:
            import_csfcube(folder=release)

        assert caught.value.file == file
        assert place in caught.value.place
        assert not Collection.objects.exists()
        assert not User.objects.exists()

    def test_a_folder_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(CSFCubeError, match="nowhere: no such folder"):
            import_csfcube(folder=tmp_path / "nowhere")

    @pytest.mark.parametrize("name", [POOLS, QUERIES])
    def test_a_file_that_is_not_there_is_named(self, release, name):
        (release / name).unlink()

        with pytest.raises(CSFCubeError, match=f"^{name}: cannot be read .*No such file"):
            import_csfcube(folder=release)

    def test_a_release_without_ratings_is_refused(self, release):
        for name in RATINGS:
            (release / name).unlink()

        with pytest.raises(CSFCubeError, match="no such file"):
            import_csfcube(folder=release)

    def test_a_release_without_texts_is_refused(self, release):
        for name in (METHOD_TEXTS, TOOLS_TEXTS):
            (release / name).unlink()

        with pytest.raises(CSFCubeError, match=r"^readable_annotations: "):
            import_csfcube(folder=release)

    def test_texts_cut_off_inside_a_line_are_refused(self, release):
        path = release / METHOD_TEXTS
        path.write_text(path.read_text()[:-10])

        with pytest.raises(CSFCubeError, match="line 41: the file is cut off"):
            import_csfcube(folder=release)

    def test_texts_cut_off_between_two_papers_are_refused(self, release):
        (release / METHOD_TEXTS).write_text(texts("c1", "c2"))

        with pytest.raises(CSFCubeError, match=r"ends without 1 of the rated candidates.* c3"):
            import_csfcube(folder=release)

    def test_a_rated_paper_without_a_text_is_refused(self, release):
        (release / METHOD_TEXTS).rename(release / "readable_annotations" / "other.txt")
        change(release / "readable_annotations" / "other.txt", block("c2"), "")

        with pytest.raises(CSFCubeError, match="paper c2 is rated, but no file"):
            import_csfcube(folder=release)

    def test_bytes_that_are_no_utf_8_are_refused_with_the_line(self, release):
        path = release / METHOD_TEXTS
        path.write_bytes(path.read_bytes().replace(b"We ask c1", b"We ask \xff"))

        with pytest.raises(CSFCubeError, match="line 13: not UTF-8"):
            import_csfcube(folder=release)


@pytest.mark.django_db
class TestCommand:
    def test_it_says_what_it_did_and_then_that_nothing_changed(self, release, capsys):
        call_command("import_csfcube", "csfcube", str(release))
        call_command("import_csfcube", "csfcube", str(release))

        first, second = capsys.readouterr().out.splitlines()
        assert first == (
            "csfcube: imported; 7 documents (3 without text), 2 query papers, "
            "3 queries (2 judged), 7 candidates (2 excluded), 6 pairs, "
            "12 judgments (3 missing), 4 decisions; folds made from the seed, because the release "
            "has none."
        )
        assert second == first.replace("imported", "unchanged")

    def test_a_dry_run_imports_nothing(self, release, capsys):
        call_command("import_csfcube", "csfcube", str(release), "--dry-run")

        printed = capsys.readouterr()
        assert printed.out.startswith("csfcube: imported; 7 documents")
        assert printed.err.endswith("Dry run: nothing was changed.\n")
        assert not Collection.objects.exists()

    def test_it_can_name_an_admin(self, release):
        admin = UserFactory(username="boss")

        call_command("import_csfcube", "mine", str(release), admin="boss")

        assert admin.memberships.get().role == "admin"

    @pytest.mark.parametrize(("slug", "admin"), [("csfcube", "nobody"), ("two words", "")])
    def test_it_refuses_names_that_do_not_fit(self, release, slug, admin):
        with pytest.raises(CommandError):
            call_command("import_csfcube", slug, str(release), admin=admin)
        assert not Collection.objects.exists()

    def test_it_ends_with_file_and_place_of_what_is_wrong(self, release):
        change(release / TOOLS, "[-1, 0]", "[7, 0]")

        with pytest.raises(CommandError, match=r"tools\.json: q1, relevance_ann4\[0\]: .*got 7"):
            call_command("import_csfcube", "csfcube", str(release))
