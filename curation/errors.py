"""Errors of curation. The messages are shown to the person."""

from __future__ import annotations

from web.errors import UserFacingError


class LabellingError(UserFacingError):
    """Labels that cannot be predicted, or a labeller that cannot be trained."""
