"""A dry run: everything is done, and nothing stays in the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction


@contextmanager
def rolled_back_if(is_tried: bool) -> Iterator[None]:
    """Take back everything that the block writes, if it is only tried.

    Otherwise there is no transaction around the block, since services turn errors of a commit into
    answers.
    """
    if not is_tried:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
