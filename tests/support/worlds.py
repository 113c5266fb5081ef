"""Rows and files that a test file makes once. Each of its tests gets a copy of its own."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

import pytest


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
