"""How the tests over random histories of a collection run."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A history takes long to make, and each one is undone, so that all may share a fixture.
FEW_HISTORIES = settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
