"""The commands that the docs show do what the docs say.

Every `sh` block is run, page by page and in order, in a shell of its own on a data folder with the
demo collection. A block that cannot be run here has a reason in a comment directly above it:
`<!-- not run: needs a CSFCube checkout -->`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import BaseCommand, get_commands, load_command_class

from tests.docs.markdown import PAGES, ROOT, blocks_of, name_of
from tests.support.classic_collection import write_classic_collection
from tests.support.command_server import command_server
from tests.support.worlds import once_a_run

BLOCKS = [block for page in PAGES for block in blocks_of(page)]
SHELL = [block for block in BLOCKS if block.language == "sh"]
RUN_PAGES = sorted({block.page for block in SHELL if not block.not_run})
# How many blocks of each page are not run. A new one needs a reason and a new number here.
NOT_RUN = {
    "CONTRIBUTING.md": 1,
    "README.md": 2,
    "docs/accounts.md": 2,
    "docs/api.md": 4,
    "docs/attacks.md": 2,
    "docs/backups.md": 5,
    "docs/baselines.md": 1,
    "docs/benchmarks.md": 6,
    "docs/choosing_queries.md": 2,
    "docs/citation_labels.md": 3,
    "docs/client.md": 1,
    "docs/deployment.md": 9,
    "docs/engines.md": 2,
    "docs/evaluation.md": 1,
    "docs/import_release.md": 1,
    "docs/institution_login.md": 3,
    "docs/known_benchmarks.md": 1,
    "docs/labels.md": 2,
    "docs/languages.md": 1,
    "docs/loading.md": 1,
    "docs/observing.md": 1,
    "docs/ordinary_topics.md": 2,
    "docs/personal_data.md": 2,
    "docs/pooling.md": 2,
    "docs/prediction_powered.md": 2,
    "docs/quickstart.md": 2,
    "docs/release.md": 3,
    "docs/retrievers.md": 1,
    "docs/supply_chain.md": 6,
    "docs/testing.md": 3,
    "docs/updates.md": 3,
}
PATIENCE = 600  # seconds for all commands of a page, on a busy machine
LOAD_DEMO = """
import django
django.setup()
from django.core.management import call_command
from demo.services import load_demo
call_command("migrate", verbosity=0)
load_demo()
"""


def environment(data_dir: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("HOME", "QRELSMITH_CI_RUN") if name in os.environ}
    return {
        **kept,
        "PATH": f"{Path(sys.prefix) / 'bin'}:{os.environ['PATH']}",
        "DATA_DIR": str(data_dir),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONPATH": str(ROOT),
        "DJANGO_SUPERUSER_PASSWORD": "a password for a test",
    }


@pytest.fixture(scope="session")
def demo_data(folder_of_run, migrated) -> Path:
    """A data folder with the demo collection, to be copied."""

    def load(data_dir: Path) -> None:
        if migrated:
            shutil.copyfile(migrated, data_dir / "qrelsmith.sqlite3")
        command = [sys.executable, "-c", LOAD_DEMO]
        subprocess.run(command, env=environment(data_dir), cwd=ROOT, check=True)

    return once_a_run(folder_of_run / "demo-data", load)


@pytest.fixture
def checkout(tmp_path) -> Path:
    """A folder that looks like a checkout and can be written to."""
    folder = tmp_path / "qrelsmith"
    folder.mkdir()
    for name in ("demo", "docs"):
        (folder / name).symlink_to(ROOT / name)
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


@pytest.mark.one_database
@pytest.mark.by_day(8)
@pytest.mark.parametrize("name", RUN_PAGES)
def test_the_commands_of_a_page_run(name, demo_data, checkout, tmp_path):
    shutil.copytree(demo_data, tmp_path / "var")
    if name == "docs/manifest.md":
        (checkout / "rebuild_pools.py").symlink_to(ROOT / "docs" / "rebuild_pools.py")
    if name == "docs/ordinary_topics.md":
        write_classic_collection(checkout)
    put_files_into(checkout, name)
    commands = [block.text for block in SHELL if block.page == name and not block.not_run]
    # A person types the password; a test cannot.
    script = "\n".join(commands).replace(
        "createsuperuser", "createsuperuser --noinput --email you@example.org"
    )
    with command_server(environment(tmp_path / "var"), tmp_path) as manage:
        (checkout / "manage.py").write_text(manage)
        done = subprocess.run(
            ["bash", "-eu", "-o", "pipefail", "-c", script],
            cwd=checkout,
            env=environment(tmp_path / "var"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def put_files_into(folder: Path, page: str) -> None:
    """The files whose text the page shows under their names."""
    for block in blocks_of(ROOT / page):
        name = block.language.partition(" ")[2]
        if "." in name:
            (folder / name).write_text(block.text)


def test_blocks_that_are_not_run_are_counted():
    skipped = [block.page for block in SHELL if block.not_run]
    assert {page: skipped.count(page) for page in sorted(set(skipped))} == NOT_RUN


def test_every_fence_names_its_language():
    assert not [f"{block.page}:{block.line}" for block in BLOCKS if not block.language]


@pytest.mark.parametrize("document", PAGES, ids=name_of)
def test_every_command_of_ours_and_its_options_exist(document):
    """Also in blocks that are not run, and in the synopses in `text` blocks."""
    ours = get_commands() | {"help": BaseCommand()}  # Django has no module for it
    unknown = []
    for block in blocks_of(document):
        text = block.text.replace("\\\n", " ")
        for name, rest in re.findall(r"manage\.py (?!\()(\w+)([^\n|;]*)", text):
            if name not in ours:
                unknown.append(name)
                continue
            command = ours[name]
            if isinstance(command, str):
                command = load_command_class(command, name)
            actions = command.create_parser("manage.py", name)._option_string_actions
            options = re.findall(r"(?<!\S)\[?(--[a-z-]+)", rest.split(" #")[0])
            unknown += [f"{name} {option}" for option in options if option not in actions]
    assert not unknown
