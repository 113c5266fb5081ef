"""A client is generated from the OpenAPI document, and docs/client.md shows a walk with it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from accounts.codes import account_code
from accounts.models import Collection
from annotation.models import Judgment, Slot
from tests.conftest import ROOT
from tests.docs.markdown import blocks_of
from tests.supply.client import PACKAGE, write_client
from tests.support.factories import UserFactory
from tests.support.page_scripts import scripts_of

BUILD, JUDGE = [
    block.text for block in blocks_of(ROOT / "docs" / "client.md") if block.language == "python"
]


@pytest.fixture
def run_as(live_server, monkeypatch, tmp_path):
    write_client(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield scripts_of("docs/client.md", live_server.url, tmp_path, monkeypatch)
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


# Generating and importing 600 modules takes 8 s of CPU.
@pytest.mark.one_database
@pytest.mark.by_day(6)
@pytest.mark.django_db(transaction=True)
def test_the_scripts_of_the_page_lead_from_a_file_to_judgments(
    run_as, tmp_path, monkeypatch, capsys
):
    UserFactory(username="owner", is_staff=True)
    annotators = [UserFactory(username=name) for name in ("ann1", "ann2")]
    monkeypatch.setenv("ANNOTATORS", " ".join(account_code(person) for person in annotators))
    (tmp_path / "corpus.jsonl").write_text("".join(map(line, range(1, 6))))

    names = ["ruff", "check", "--isolated", "--quiet", "--select", "E9,F63,F82", PACKAGE]
    subprocess.run([sys.executable, "-m", *names], cwd=tmp_path, check=True)
    run_as("owner", BUILD)
    run_as("ann1", JUDGE)
    with pytest.raises(SystemExit, match=r"The short name .clients. exists already"):
        run_as("owner", BUILD)

    clients = Collection.objects.get(slug="clients")
    judgments = Judgment.objects.filter(slot__pair__query__collection=clients)
    assert {judgment.slot.annotator.username for judgment in judgments} == {"ann1"}
    assert len(judgments) == Slot.objects.of(clients).filter(annotator=annotators[0]).count() > 0
    printed = capsys.readouterr().out.splitlines()
    assert printed == [f"p1_method {judgment.grade}" for judgment in judgments]


def line(number: int) -> str:
    sentences = [f"We rank paper {number} by its title.", "It works."]
    document = {"docno": f"p{number}", "title": f"Ranking papers, part {number}"}
    return json.dumps({**document, "sentences": sentences, "labels": ["method", "result"]}) + "\n"
