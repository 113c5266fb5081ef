from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def _loaded():
    """Loading these takes seconds on a busy machine, and a job's heartbeat cannot see into a test's transaction."""
    import sklearn.feature_extraction.text  # noqa: F401
    import tantivy  # noqa: F401
