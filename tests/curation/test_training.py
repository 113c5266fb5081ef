"""Labellers that are trained from checked labels, or from files."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import User
from curation.labelling.weights import from_bytes
from curation.labels.labellers import labeller_named
from tests.curation.test_labellers import EXAMPLES
from tests.support.factories import DocumentFactory


@pytest.mark.django_db
def test_a_collection_trains_a_labeller_from_its_checked_labels(collection, capsys):
    with pytest.raises(CommandError, match="0 documents of small have checked labels"):
        call_command("train_labeller", "small", "own")
    admin = User.objects.get(username="admin")
    for number, example in enumerate(EXAMPLES):
        document = DocumentFactory(
            collection=collection, docno=f"d{number}", sentences=example.sentences
        )
        collection.label_records.create(
            document=document,
            digest=document.digest,
            checked_by=admin,
            checked_at=timezone.now(),
        )

    call_command("train_labeller", "small", "own")

    row = collection.labellers.get()
    assert row.labels == ["background", "method", "result"]
    assert row.training["abstracts"] == 20
    assert row.training["scores"]["micro_f1"] == 1
    assert labeller_named(collection, "own").header.source == "own 1"
    assert "micro-F1 1.0000 on 15 sentences of one document in five" in capsys.readouterr().out


@pytest.mark.django_db
def test_a_labeller_is_trained_from_files_into_a_file(tmp_path, capsys):
    path, output = tmp_path / "own.jsonl", tmp_path / "own.npz"
    lines = [
        json.dumps({"docno": "d", "sentences": e.sentences, "labels": e.labels}) for e in EXAMPLES
    ]
    path.write_text("\n".join(lines), encoding="utf-8")

    call_command(
        "write_labeller", "own", "--from", path, "--dev", path, "--seed", "3", "--output", output
    )

    stored = from_bytes(output.read_bytes())
    assert (stored.header.seed, stored.header.trained_on) == ("3", "own.jsonl")
    assert "micro-F1 1.0000" in capsys.readouterr().out
