from __future__ import annotations

import pytest

from tests.support.api_world import World, a_world, client_of


@pytest.fixture
def world(db, _own_data_dir) -> World:
    return a_world()


@pytest.fixture
def admin(world):
    return client_of("admin")


@pytest.fixture
def annotator(world):
    return client_of("ann1")
