"""`--dry-run` of every command that writes: it succeeds, and changes no row and no file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.db import connection

from config.command_help import own_commands
from corpus.models import Document
from dashboard.settings.archiving import archive_collection
from dashboard.settings.export import export_collection
from release.files import path_of
from tests.curation.test_labellers import EXAMPLES
from tests.support.api_world import SHADOW_JUDGE, World
from tests.support.citation_scenes import an_mdcr_collection
from tests.support.factories import a_collection, a_query
from tests.support.releases import EVERY_EXCEPTION
from tests.support.rounds import late, new_documents
from tests.support.screened_samples import a_screened_sample
from tests.support.study_scenes import attach_full_texts

NO_SERVER = "http://127.0.0.1:9/v1"
Arguments = list[object]
Case = Callable[[World, Path], Arguments]


def written(folder: Path, name: str, *lines: object) -> Path:
    path = folder / name
    path.write_text(
        "".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in lines)
    )
    return path


def docno_of(world: World, place: int = 0) -> str:
    """A candidate; ann1 has not judged the one at place 2."""
    return str(world.slots()[place].pair.candidate.document.docno)


def examples(folder: Path) -> Path:
    lines = [
        {"docno": f"d{number}", "sentences": each.sentences, "labels": each.labels}
        for number, each in enumerate(EXAMPLES)
    ]
    return written(folder, "labelled.jsonl", *lines)


def with_archive(world: World, *, exported: bool = False) -> None:
    world.collection.jobs.all().delete()
    archive_collection(collection=world.collection)
    if exported:
        for _ in export_collection(world.collection):
            pass


def delete_arguments(world: World, folder: Path) -> Arguments:
    with_archive(world, exported=True)
    return ["small", "--confirm", "small"]


def export_arguments(world: World, folder: Path) -> Arguments:
    with_archive(world)
    return ["small", folder / "small.zip"]


def archive_arguments(world: World, folder: Path) -> Arguments:
    world.collection.jobs.all().delete()
    return ["small"]


def study_arguments(world: World, folder: Path) -> Arguments:
    attach_full_texts(*Document.objects.filter(collection=world.collection, full_text=None))
    return ["small", "study-9", "--rater", "ann2", "--queries", 1, "--per-query", 2]


def pilot_arguments(world: World, folder: Path) -> Arguments:
    query = a_query(world.collection)
    people = ["--annotator", "ann1", "--annotator", "ann2"]
    return ["small", *people, "--query", query.name, "--per-query", 2]


def choice_arguments(world: World, folder: Path) -> Arguments:
    a_screened_sample(a_collection("screened"))
    return ["screened", "--sample", "first", "--papers", 4, "--apply"]


def plan_arguments(world: World, folder: Path) -> Arguments:
    a_query(world.collection)
    return ["small", "--n", 1, "--run", "secret-retriever"]


def opening_arguments(world: World, folder: Path) -> Arguments:
    a_query(world.collection)
    return ["small", "--all"]


def embedding_arguments(world: World, folder: Path) -> Arguments:
    np.save(folder / "vectors.npy", np.eye(2, 3, dtype=np.float32))
    docnos = written(folder, "docnos.txt", world.paper, docno_of(world))
    return ["small", folder / "vectors.npy", docnos, "--name", "mine"]


def benchmark_arguments(world: World, folder: Path) -> Arguments:
    entry = {"pmid": "1", "response": {"relevant": ["2"], "partial": [], "irrelevant": []}}
    written(folder, "RELISH_v1.json", [entry])
    written(folder, "texts.jsonl", {"docno": "1", "title": "New", "sentences": ["We parse."]})
    return ["new", "relish", folder]


def proof_arguments(world: World, folder: Path) -> Arguments:
    world.collection.stored_reports.filter(kind="prove_display").delete()
    return ["small"]


def accepted(version: str) -> Arguments:
    reasons = [
        text for check, why in EVERY_EXCEPTION.items() for text in ("--accept", f"{check}={why}")
    ]
    return ["small", version, *reasons]


def top_up_arguments(world: World, folder: Path) -> Arguments:
    late(
        world.collection,
        "late",
        [docno_of(world), *new_documents(world.collection, 1)],
        world.paper,
    )
    return ["small", "late", "--reason", "Late."]


def sizes_arguments(world: World, folder: Path) -> Arguments:
    papers = Document.objects.filter(query_paper__collection=world.collection)
    papers.update(references=[docno_of(world)])
    return ["small", "--field-size", 0, "--size", 5, "--draws", 1, "--retriever", "bm25_abstract"]


def label_sample_arguments(world: World, folder: Path) -> Arguments:
    an_mdcr_collection(slug="cited")
    return ["cited", "cited-sample", "--pairs", 30, "--facet", "method"]


CASES: dict[str, Case] = {
    "answer_datasheet": lambda world, folder: [
        "small",
        written(folder, "a.json", {"pay": "None."}),
    ],
    "archive_collection": archive_arguments,
    "ask_model": lambda world, folder: [
        "small",
        *("--name", "tiny", "--model", "tiny-1", "--address", NO_SERVER),
    ],
    "top_up_pools": top_up_arguments,
    "build_pools": plan_arguments,
    "change_licences": lambda world, folder: ["small", "--licence", "CC0-1.0"],
    "change_roles": lambda world, folder: ["small", "adju", "--add", "curator"],
    "choose_queries": choice_arguments,
    "check_blindness": lambda world, folder: ["small"],
    "compare_labels": lambda world, folder: ["small", "--measure", "P@1"],
    "compare_shadow_judge": lambda world, folder: ["small", SHADOW_JUDGE, "--measure", "P@1"],
    "estimate_scores": lambda world, folder: ["small", SHADOW_JUDGE, "--measure", "P@20"],
    "compute_agreement": lambda world, folder: ["small", "--missing", "zero"],
    "compute_gaps": lambda world, folder: ["small", "--depth", 10],
    "measure_corpus_sizes": sizes_arguments,
    "compute_pool_bias": lambda world, folder: ["small", "--leave-out", "secret-retriever"],
    "create_account": lambda world, folder: ["small", "mara", "--role", "curator"],
    "invite_people": lambda world, folder: [
        *("small", written(folder, "people.txt", "mara@example.org"), "--role", "curator")
    ],
    "export_person": lambda world, folder: ["ann1", folder / "person.zip"],
    "erase_person": lambda world, folder: ["ann2"],
    "erase_again": lambda world, folder: [
        written(
            folder,
            "erasures.jsonl",
            {"id": 0, "pseudonym": "erased-0", "erased_at": "2026-01-01T00:00:00+00:00"},
        )
    ],
    "remove_second_factors": lambda world, folder: ["ann1"],
    "create_collection": lambda world, folder: ["new", "--name", "New", "--admin", "admin"],
    "create_query": lambda world, folder: ["small", world.paper, "background"],
    "create_study": study_arguments,
    "create_token": lambda world, folder: ["ann1", "--name", "Cron", "--scope", "read"],
    "delete_collection": delete_arguments,
    "sample_labels": label_sample_arguments,
    "draw_sample": lambda world, folder: ["small", "--per-stratum", 1, "--name", "more"],
    "export_collection": export_arguments,
    "import_benchmark": benchmark_arguments,
    "import_documents": lambda world, folder: [
        "small",
        written(folder, "d.jsonl", {"docno": "new", "title": "New", "sentences": ["We parse."]}),
    ],
    "import_embeddings": embedding_arguments,
    "import_folds": lambda world, folder: ["small", "--make", 2],
    "import_full_texts": lambda world, folder: [
        "small",
        written(folder, "f.jsonl", {"docno": docno_of(world), "url": "https://example.org/a.pdf"}),
    ],
    "import_judgments": lambda world, folder: [
        "small",
        written(
            folder,
            "j.csv",
            "query,docno,annotator,grade",
            f"{world.query},{docno_of(world, 2)},ann1,3",
        ),
    ],
    "import_release": lambda world, folder: ["copy", path_of("small", "1.0")],
    "import_run": lambda world, folder: [
        "small",
        written(folder, "x.run", f"{world.paper} Q0 {docno_of(world)} 1 2.5 x"),
    ],
    "import_shadow_judge": lambda world, folder: [
        "small",
        written(folder, "s.qrels", f"{world.query} 0 {docno_of(world)} 2"),
        *("--name", "model-2"),
    ],
    "import_topics": lambda world, folder: [
        "small",
        written(folder, "t.tsv", "t1\tparsing of trees"),
        *("--facet", "method"),
    ],
    "label_sentences": lambda world, folder: ["small"],
    "make_backup": lambda world, folder: [folder],
    "make_baselines": lambda world, folder: ["small", "--baseline", "fabs_bm25"],
    "open_queries": opening_arguments,
    "prove_display": proof_arguments,
    "publish_release": lambda world, folder: accepted("1.1"),
    "reconcile_jobs": lambda world, folder: [],
    "delete_expired": lambda world, folder: [],
    "report_cited_papers": lambda world, folder: ["small", "--measure", "P@1"],
    "run_retrievers": lambda world, folder: ["small", "bm25_title"],
    "score_systems": lambda world, folder: ["small"],
    "start_pilot": pilot_arguments,
    "train_labeller": lambda world, folder: ["small", "own", "--from", examples(folder)],
    "write_labeller": lambda world, folder: [
        "own",
        *("--from", examples(folder), "--output", folder / "own.npz"),
    ],
}


def rows() -> dict[str, list[str]]:
    """Every row of the database."""
    content = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            content[table] = sorted(map(repr, cursor.fetchall()))
    return content


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "name",
    [
        # It opens every page as every person: tests/release/test_blindness_check.py.
        pytest.param(name, marks=pytest.mark.by_day(8 if name == "check_blindness" else 2))
        for name in CASES
    ],
)
def test_a_dry_run_succeeds_and_changes_nothing(name, world, tmp_path, capsys, settings):
    settings.MODEL_ADDRESSES = [NO_SERVER]
    arguments = [*map(str, CASES[name](world, tmp_path))]
    files = files_in(tmp_path)
    before = rows()

    call_command(name, *arguments, "--dry-run")

    assert rows() == before
    assert files_in(tmp_path) == files
    printed = capsys.readouterr()
    assert printed.out
    assert printed.err.splitlines()[-1] == "Dry run: nothing was changed."


def test_every_command_that_writes_has_a_case():
    writing = {name for name, command in own_commands().items() if command.writes}

    # The others need typed lines, a release of CSFCube, a backup or a storage:
    # tests/accounts/test_passwords.py, tests/csfcube_import, tests/backups,
    # tests/server/test_shared_storage.py.
    assert writing == {*CASES, "changepassword", "import_csfcube", "restore_backup", "share_files"}
