"""Every command of ours keeps the rules of the family, by its name and its parser."""

from __future__ import annotations

import pytest
from django.core.management import call_command, get_commands, load_command_class

from accounts.commands import ProjectCommand
from accounts.models import Collection
from config.command_help import own_commands, summary_of
from config.command_line import CommandLine
from corpus.formats.sources import FORMATS
from dashboard.navigation.stages import STAGES
from tests.conftest import ROOT
from tests.support.factories import UserFactory

VERBS = {
    *("answer", "archive", "build", "change", "check", "choose", "compare", "compute", "create"),
    *("delete", "prove"),
    *("measure", "sample"),
    *("ask", "erase", "top"),  # a model; a person; up a pool
    *("draw", "estimate", "export", "import", "label", "list", "make", "open", "publish"),
    *(
        "rebuild",
        "reconcile",
        "report",
        "restore",
        "run",
        "score",
        "share",
        "simulate",
        "start",
        "train",
    ),
    *("invite", "remove", "verify", "write"),
}
WITHOUT_VERB = {"doctor", "changepassword"}  # what other tools and Django call it
# They have no collection: a token or second factors of a person, the state of the server, a demo
# of its own, a release by itself, the server's record and backups, all jobs, a file to write.
WITHOUT_COLLECTION = {
    *("create_token", "remove_second_factors", "doctor", "start_demo", "verify_release"),
    *("list_server_actions", "delete_expired", "reconcile_jobs", "write_labeller"),
    *("make_backup", "restore_backup", "share_files"),
    # People may be in several collections.
    *("changepassword", "export_person", "erase_person", "erase_again"),
}
# They write no row and no file that stays. `start_demo` runs until it is stopped.
READ_ONLY = {
    "doctor",
    *("choose_models", "compare_judging_plans", "compute_significance", "export_documents"),
    *("export_manifest", "export_queries", "list_people", "rebuild_pools", "report_study"),
    *("list_actions", "list_server_actions"),
    "report_label_sample",
    *("simulate_estimates", "simulate_pooling", "simulate_stopping"),
    *("start_demo", "verify_release"),
}
LONGEST_SUMMARY = 80
OUTPUT_FORMATS = {"table", "json", "csv", "latex", "jsonl", "tsv"}
FILES_OF_COMMANDS = [
    path
    for path in ROOT.glob("*/management/commands/*.py")
    if path.name != "__init__.py" and ".venv" not in path.parts
]
NAMES = sorted(path.stem for path in FILES_OF_COMMANDS)


def command_named(name: str) -> ProjectCommand:
    command = load_command_class(get_commands()[name], name)
    assert isinstance(command, ProjectCommand)
    return command


def actions_of(name: str) -> list:
    return command_named(name).create_parser("manage.py", name)._actions


@pytest.mark.parametrize("name", NAMES)
def test_a_command_is_named_by_a_verb_and_a_noun(name):
    if name in WITHOUT_VERB:
        return
    verb, _, noun = name.partition("_")

    assert verb in VERBS
    assert noun


@pytest.mark.parametrize("name", NAMES)
def test_the_collection_is_the_first_argument(name):
    positional = [action.dest for action in actions_of(name) if not action.option_strings]
    options = {text for action in actions_of(name) for text in action.option_strings}

    if name in WITHOUT_COLLECTION:
        assert "collection" not in positional
    else:
        assert positional[0] == "collection"
    assert not options & {"--collection", "--slug"}


@pytest.mark.parametrize("name", NAMES)
def test_a_command_that_writes_has_a_dry_run(name):
    options = {text for action in actions_of(name) for text in action.option_strings}

    assert ("--dry-run" in options) is (name not in READ_ONLY)
    assert not options & {"--check", "--dry", "--pretend"}


@pytest.mark.parametrize("name", NAMES)
def test_format_is_of_the_output_and_input_format_of_files(name):
    choices = {
        text: set(action.choices or ())
        for action in actions_of(name)
        for text in action.option_strings
    }

    assert choices.get("--format", set()) <= OUTPUT_FORMATS
    assert "auto" in choices.get("--input-format", {"auto"})
    assert "--format" not in choices or not name.startswith("import_")


@pytest.mark.parametrize("name", NAMES)
def test_a_command_belongs_to_a_stage_and_has_a_short_summary(name):
    command = command_named(name)

    assert command.stage in {stage.caption for stage in STAGES}
    assert 10 < len(summary_of(command)) <= LONGEST_SUMMARY


def test_the_help_lists_every_command_under_its_stage_in_the_order_of_the_navigation():
    lines = CommandLine(["manage.py"]).main_help_text().splitlines()

    stages = [stage.caption for stage in STAGES if stage.caption in lines]
    places = [lines.index(label) for label in stages]
    assert places == sorted(places)
    for name, command in own_commands().items():
        (place,) = [number for number, line in enumerate(lines) if line.split()[:1] == [name]]
        heads = [label for label, start in zip(stages, places, strict=True) if start < place]
        assert heads[-1] == command.stage
        assert summary_of(command) in lines[place]
    assert set(own_commands()) == set(NAMES)


def test_the_help_for_completion_has_only_names():
    names = CommandLine(["manage.py"]).main_help_text(commands_only=True).split()

    assert set(NAMES) <= set(names)


@pytest.mark.django_db
def test_a_dry_run_says_that_nothing_was_changed_and_keeps_nothing(capsys):
    UserFactory(username="boss")
    arguments = ("create_collection", "papers", "--name", "Papers", "--admin", "boss")

    call_command(*arguments, "--dry-run")

    written = capsys.readouterr()
    assert written.out.startswith("papers: created with the facets ")
    assert written.err == "Dry run: nothing was changed.\n"
    assert not Collection.objects.exists()

    call_command(*arguments)

    assert Collection.objects.get().slug == "papers"


def test_every_format_of_the_import_can_be_named():
    (action,) = [each for each in actions_of("import_documents") if each.dest == "input_format"]

    assert set(action.choices) == set(FORMATS)
