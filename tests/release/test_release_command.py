import hashlib
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from release.models import Release
from tests.support.release_scenes import a_judged_collection
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    return a_judged_collection(licence="")


def release(*arguments, **options) -> str:
    out = StringIO()
    call_command("publish_release", *arguments, stdout=out, **options)
    return out.getvalue()


def test_it_publishes_and_writes_the_zip(tmp_path):
    a_judged_collection()

    output = release("small", "1.0", output=tmp_path / "out")

    path = tmp_path / "out" / "small-1.0.zip"
    published = Release.objects.get()
    assert output == f"{path}\nsha256 {published.sha256}\n"
    assert hashlib.sha256(path.read_bytes()).hexdigest() == published.sha256


def test_repeating_it_writes_the_same_bytes_again(tmp_path):
    a_judged_collection()

    first = release("small", "1.0", output=tmp_path)
    (tmp_path / "small-1.0.zip").unlink()
    again = release("small", "1.0", output=tmp_path)

    assert first == again
    assert Release.objects.count() == 1


def test_repeating_it_accepts_what_was_accepted(collection, tmp_path):
    first = release("small", "1.0", output=tmp_path, accept=["licence=Stated elsewhere."])

    assert release("small", "1.0", output=tmp_path) == first


def test_it_lists_what_to_fix(collection, tmp_path):
    with pytest.raises(CommandError, match="licence") as error:
        release("small", "1.0", output=tmp_path)

    assert "accept `licence` and say why" in str(error.value)
    assert list(tmp_path.glob("*.zip")) == []


def test_an_accepted_exception_is_named_on_the_command_line(collection, tmp_path):
    call_command(
        "publish_release",
        "small",
        "1.0",
        "--output",
        str(tmp_path),
        "--accept",
        "licence=Stated elsewhere.",
    )

    assert Release.objects.get().manifest["accepted"][0]["check"] == "licence"


def test_a_check_prints_the_gate_and_publishes_nothing():
    a_judged_collection()

    output = release("small", "1.0", dry_run=True)

    assert "ok        licence: The licence is CC-BY-4.0." in output
    assert output.endswith("Ready to publish.\n")
    assert not Release.objects.exists()


def test_a_check_that_finds_something_fails(collection):
    out = StringIO()

    with pytest.raises(CommandError, match="Not ready to publish: licence"):
        call_command("publish_release", "small", "1.0", "--dry-run", stdout=out)
    assert "STOPS     licence" in out.getvalue()


def test_a_check_counts_what_is_accepted(collection):
    output = release("small", "1.0", dry_run=True, accept=["licence=Stated elsewhere."])

    assert "accepted  licence" in output


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (["nowhere", "1.0"], {}, "No collection 'nowhere'"),
        (["small", "1/0"], {}, "Invalid version"),
        (["small", "1.0"], {"accept": ["nonsense=Why not?"]}, "Unknown check 'nonsense'"),
        (["small", "1.0"], {"output": None}, "--output DIR"),
    ],
)
def test_it_says_what_is_wrong_with_the_call(collection, tmp_path, arguments, options, message):
    with pytest.raises(CommandError, match=message):
        release(*arguments, **{"output": tmp_path, **options})
    assert not Release.objects.exists()
