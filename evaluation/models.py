"""The models of this room, each in the package of its subject."""

from __future__ import annotations

from evaluation.error_browser.models import ErrorTag
from evaluation.label_effects.models import LabelReport
from evaluation.pool_bias.models import PoolBiasReport
from evaluation.shadow_judges.models import ShadowJudge, ShadowLabel

__all__ = [
    "ErrorTag",
    "LabelReport",
    "PoolBiasReport",
    "ShadowJudge",
    "ShadowLabel",
]
