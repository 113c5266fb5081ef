"""The parts of a version's page: the tree of its files, previews, and commands to load it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bundle.file_tree import LISTED, file_tree
from bundle.loading import Loading, files_used
from bundle.names import QRELS
from release.markdown_preview import preview_of
from release.services import publish_release
from tests.support.release_scenes import a_judged_collection
from tests.support.visits import address, client_of


def files(**sizes: int) -> dict[str, dict[str, object]]:
    return {
        name.replace("__", "/"): {"bytes": size, "sha256": name} for name, size in sizes.items()
    }


def loading(*names: str, is_sample: bool = False) -> dict[str, str]:
    found = Loading("small-1.0", {QRELS, *names}, relevant_from=2, is_sample=is_sample)
    return {command.key: command.code for command in found.commands}


# The tree


def test_a_folder_lists_its_first_files_and_counts_the_others():
    paths = {f"notes/{number:04}.txt": {"bytes": 2, "sha256": "0"} for number in range(LISTED + 3)}

    (folder,) = file_tree(paths).folders

    assert (len(folder.files), folder.unlisted) == (LISTED, 3)
    assert (folder.count, folder.size) == (LISTED + 3, 2 * (LISTED + 3))


def test_folders_have_the_size_and_the_number_of_all_files_in_them():
    tree = file_tree(files(README=1, trec__qrels=10, trec__runs__a=100, trec__runs__b=1_000))

    (trec,) = tree.folders
    (runs,) = trec.folders
    assert (tree.size, tree.count) == (1_111, 4)
    assert (trec.name, trec.size, trec.count) == ("trec", 1_110, 3)
    assert [(file.name, file.size) for file in runs.files] == [("a", 100), ("b", 1_000)]
    assert [file.path for file in tree.files] == ["README"]


# Previews


def test_a_preview_has_tables_and_headings_below_those_of_the_page():
    html = preview_of("# Title\n\n###### Deep\n\n| a |\n| --- |\n| `b` |\n")

    assert "<h3>Title</h3>" in html
    assert "<h4>Deep</h4>" in html
    assert "<td><code>b</code></td>" in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "[a](javascript:alert(1))",
        "[a](data:text/html,x)",
        "![a](pixel.png)",
        "[a](other.md)",
    ],
)
def test_a_preview_runs_and_loads_nothing(text):
    html = preview_of(text)

    assert not [part for part in ("<script", "<img", "<a href=") if part in html]


def test_a_preview_links_to_web_pages_only():
    html = preview_of("[here](https://example.org/?a=1&b=2)")

    assert '<a href="https://example.org/?a=1&amp;b=2" rel="nofollow noopener"' in html


def test_wide_parts_of_a_preview_can_be_scrolled_by_keyboard():
    html = preview_of("```sh\nls\n```\n\n| a |\n| --- |\n")

    assert '<pre tabindex="0"><code class="language-sh">' in html
    assert '<div class="table-wrap" tabindex="0"><table>' in html


def test_a_preview_leaves_out_the_front_matter():
    assert preview_of("---\nlicense: mit\n---\n# Title\n") == "<h3>Title</h3>\n"


# Commands


def test_a_command_is_shown_if_the_bundle_has_its_files():
    assert {*loading()} == {"pandas", "ir-measures", "trec-eval", "pyterrier"}
    beir = ("beir/corpus.jsonl", "beir/queries.jsonl", "beir/qrels/test.tsv")
    assert {*loading("load_ir_datasets.py", *beir, "hf/queries.parquet")} - {*loading()} == {
        "ir-datasets",
        "beir",
        "datasets",
    }


def test_no_command_computes_an_ordinary_measure_over_a_sample():
    codes = loading("trec/runs/a.txt", is_sample=True)

    assert {*codes} == {"pandas", "ir-measures"}
    assert "nDCG" not in "".join(codes.values())


def test_a_command_scores_a_run_of_the_bundle_that_names_its_queries():
    assert "small-1.0/trec/runs/a.txt" in loading("trec/runs/a.txt", "runs/b.txt")["trec-eval"]
    assert "my.run" in loading("trec/queries.tsv", "runs/b.txt")["trec-eval"]
    assert "small-1.0/runs/b.txt" in loading("runs/b.txt")["trec-eval"]


def test_a_page_stores_only_the_files_that_commands_name():
    names = ["trec/runs/b.txt", "trec/runs/a.txt", QRELS, "annotations/ratings.csv"]

    assert files_used(names) == [QRELS, "trec/runs/a.txt"]


# On the pages


@pytest.mark.django_db
@pytest.mark.one_database
def test_the_python_commands_of_a_version_run(tmp_path):
    publish_release(collection=a_judged_collection(), version="1.0")
    page = client_of("admin").get(address("release", "1.0"))
    code = {command.key: command.code for command in page.context["loading"].commands}
    zip_path = tmp_path / "small-1.0.zip"
    zip_path.write_bytes(client_of("admin").get(address("release-download", "1.0")).getvalue())

    unpacking = page.context["loading"].unpacking
    subprocess.run(["sh", "-ec", unpacking], cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / "my.run").write_text("q1_method Q0 d1 1 9 mine\n")
    done = [
        subprocess.run(
            [sys.executable, "-c", code[name]],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in ("pandas", "ir-measures", "ir-datasets")
    ]

    assert "nDCG@20" in done[1]
    assert done[2] == "8\n"
    assert done[0].split()[1:3] == ["0", "3"]


@pytest.mark.django_db
@pytest.mark.one_database
def test_the_page_previews_the_markdown_files_and_links_to_earlier_versions():
    collection = a_judged_collection()
    publish_release(collection=collection, version="1.0")
    publish_release(collection=collection, version="1.1")

    page = client_of("admin").get(address("release", "1.1"))

    assert "<h3>Small, version 1.1</h3>" in page.text
    assert "<h3>Changes in version 1.1</h3>" in page.text
    assert "<option>1.0</option>" in page.text
