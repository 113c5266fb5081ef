"""Rows and files that a test file, or a whole run, makes once. Each test gets a copy of its own."""

from __future__ import annotations

import fcntl
import pickle
import shutil
from collections.abc import Callable
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.conf import settings
from django.db import transaction

from tests.support.kept_rows import all_rows, can_put_rows, put_rows

if TYPE_CHECKING:
    from tests.support.api_world import World

FOLDERS = ("ARTEFACT_DIR", "RELEASE_DIR", "UPLOAD_DIR")
ROWS = "rows.pickle"


def once_a_file(make: Callable[[], Any]) -> Any:
    """In place of `pytest.fixture`, for what no test of the file may find already changed."""
    name = f"{make.__name__}_of_file"

    @pytest.fixture(scope="module")
    def made(made_once: Any) -> Any:
        with made_once(make) as rows_and_files:
            yield rows_and_files

    def copy(**fixtures: Any) -> Any:
        return fixtures["own_copy"](fixtures[name])

    make.__globals__[name] = made
    wanted = [Parameter(each, Parameter.KEYWORD_ONLY) for each in (name, "own_copy")]
    copy.__signature__ = Signature(wanted)  # type: ignore[attr-defined]
    copy.__doc__ = make.__doc__
    return pytest.fixture(copy)


def once_a_run(folder: Path, make: Callable[[Path], None]) -> Path:
    """The folder, filled by the first worker that needs it; the others wait until it is full."""
    with folder.with_suffix(".lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            begun = folder.with_suffix(".begun")
            shutil.rmtree(begun, ignore_errors=True)
            begun.mkdir()
            make(begun)
            begun.rename(folder)
    return folder


class KeptWorld:
    """`a_world()` in an empty database: made once a run, and copied for each file that needs it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder  # of the run
        self._made: World | None = None

    def __call__(self) -> World:
        from tests.support.api_world import a_world
        from tests.support.factories import go_on_from, next_numbers

        if not can_put_rows():
            return a_world()
        kept = once_a_run(self._folder, self._make)
        if self._made:
            world, self._made = self._made, None
            return world
        world, rows, numbers = pickle.loads((kept / ROWS).read_bytes())
        with transaction.atomic():
            put_rows(rows)
        # Or the factories would give names that the rows have.
        go_on_from([max(pair) for pair in zip(numbers, next_numbers(), strict=True)])
        for name in FOLDERS:
            shutil.copytree(kept / name, getattr(settings, name), dirs_exist_ok=True)
        return world

    def _make(self, kept: Path) -> None:
        from tests.support.api_world import a_world
        from tests.support.factories import next_numbers

        before = all_rows()
        self._made = a_world()
        rows = {table: found for table, found in all_rows().items() if before.get(table) != found}
        assert not rows.keys() & before.keys(), "rows of the migrations would be put in twice"
        for name in FOLDERS:
            folder = Path(getattr(settings, name))
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copytree(folder, kept / name)
        (kept / ROWS).write_bytes(pickle.dumps((self._made, rows, next_numbers())))
