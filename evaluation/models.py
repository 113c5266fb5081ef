"""The models of this room, each in the package of its subject."""

from __future__ import annotations

from evaluation.error_browser.models import ErrorTag
from evaluation.shadow_judges.asking.models import Asking, ModelAnswer
from evaluation.shadow_judges.models import ShadowJudge, ShadowLabel

__all__ = [
    "Asking",
    "ErrorTag",
    "ModelAnswer",
    "ShadowJudge",
    "ShadowLabel",
]
