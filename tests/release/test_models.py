"""What a release has of models as judges: a folder each, when it is asked for, and nothing anywhere else."""

from __future__ import annotations

import csv
import hashlib
import io
import json

import pytest
from django.core.management import call_command
from django.db import transaction
from django.urls import reverse

from evaluation.model_judges import import_labels
from jobs import work
from jobs.models import Job
from release.building import build_release
from release.verify import verify
from tests import builders
from tests.release.helpers import ACCEPT_ALL, files_of, unpacked
from web.errors import BadInput

pytestmark = pytest.mark.django_db

ANSWERS = """query,docno,answer
d00_method,d02,"{""grade"": 1}"
d00_method,d01,"One line
and [another](http://x) | é"
d00_method,d04,3
d00_method,d05,3
7,d11,0
"""


def imported(collection, name="gpt-4", model="GPT | <4>"):
    with transaction.atomic():
        file = io.BytesIO(ANSWERS.encode())
        return import_labels(collection=collection, name=name, model=model, file=file, by=builders.person("admin"))


def built(collection, *, with_models: bool) -> bytes:
    return build_release(
        collection, version="1.0", with_texts=False, reasons=ACCEPT_ALL, with_models=with_models
    ).content


def test_a_model_has_a_folder_and_no_label_anywhere_else(judged, tmp_path):
    imported(judged)
    before, after = (files_of(built(judged, with_models=each)) for each in (False, True))
    folder = {name.removeprefix("models/gpt-4/"): after.pop(name) for name in sorted(after) if "models/" in name}
    assert folder["qrels.txt"] == "7 0 d11 0\nd00_method 0 d02 1\n"
    rows = list(csv.reader(io.StringIO(folder["labels.csv"], newline="")))
    assert rows[1:] == [
        ["7", "", "d11", "0", ""],
        ["d00_method", "method", "d01", "", "no-grade"],
        ["d00_method", "method", "d02", "1", ""],
    ]
    answers = [json.loads(line) for line in folder["answers.jsonl"].splitlines()]
    assert answers[1]["answer"] == "One line\nand [another](http://x) | é"
    about = json.loads(folder["model.json"])
    assert (about["answers"], about["malformed"], about["problems"]) == (3, 1, {"no-grade": 1})
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"README.md", "MANIFEST.json", "croissant.json"}
    assert {f"models/gpt-4/{name}" for name in folder} < set(json.loads(after["MANIFEST.json"])["files"])
    assert "not judgments of people" in after["README.md"]
    assert r"| `models/gpt-4` | GPT \| &lt;4&gt; | 3 | 1 |" in after["README.md"]
    assert "models/" not in before["README.md"]
    unpacked(built(judged, with_models=True), tmp_path)
    assert verify(tmp_path) == []


def test_a_models_label_in_the_qrels_of_people_is_found(judged, tmp_path):
    imported(judged)
    unpacked(built(judged, with_models=True), tmp_path)
    (tmp_path / "trec/qrels.all.txt").write_bytes((tmp_path / "models/gpt-4/qrels.txt").read_bytes())
    assert any("must have the grade" in fault for fault in verify(tmp_path))


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a.", "-a", "a b", "a\n", "GPT-4", "é"])
def test_a_name_is_that_of_a_folder_and_unlike_all_others(judged, name):
    imported(judged)
    with pytest.raises(BadInput, match=r"letters|already"):
        imported(judged, name=name)


@pytest.mark.parametrize("wanted", [False, True])
def test_page_and_command_leave_models_out_unless_told(judged, as_, tmp_path, wanted):
    client, page = as_("admin"), reverse("release", args=["papers"])
    assert "with_models" not in client.get(page).context["form"].fields
    imported(judged)
    assert not client.get(page).context["form"]["with_models"].value()
    answers = {"version": "1.0"} | {f"accept_{key}": reason for key, reason in ACCEPT_ALL.items()}
    client.post(page, answers | ({"with_models": "on"} if wanted else {}))
    work.run(Job.objects.get(kind="publish_release").pk)
    accept = [f"--accept={key}={reason}" for key, reason in ACCEPT_ALL.items()]
    call_command("publish_release", "papers", "1.1", *accept, *(["--with-models"] if wanted else []))
    for release in judged.releases.all():
        assert ("models/gpt-4/qrels.txt" in release.manifest["files"]) == wanted
        assert [model["name"] for model in release.manifest["models"]] == (["gpt-4"] if wanted else [])
        assert client.get(reverse("version", args=["papers", release.version])).status_code == 200


@pytest.mark.parametrize("database", ["this one", pytest.param("PostgreSQL", marks=pytest.mark.postgresql)])
def test_the_same_labels_of_models_give_the_same_bytes_on_every_database(judged, database):
    judge = imported(judged)
    judge.parameters, judge.prompt = {"temperature": 0.0, "b": [1, "é"], "a": None}, "guideline"
    judge.prompts = {"method": "Grade $query.", "": "Grade $search.", "background": "Never sent."}
    judge.save()
    imported(judged, name="A-model")
    files = files_of(built(judged, with_models=True))
    data = {name: text for name, text in files.items() if name.startswith("models/")}
    assert {name for name in data if "prompts/" in name} == {
        f"models/gpt-4/prompts/{each}.txt" for each in ("method", "all")
    }
    assert hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest() == (
        "c70b123557c6ec5b1e3e4be22f87846c7aad8e8473f4795698b3f830705f7325"
    )
