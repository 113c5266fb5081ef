from __future__ import annotations

import pytest

from tests.support.api_world import client_of


@pytest.fixture
def admin(world):
    return client_of("admin")


@pytest.fixture
def annotator(world):
    return client_of("ann1")
