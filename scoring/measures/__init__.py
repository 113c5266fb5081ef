"""Measures of systems against labels: their names, their computation, and profiles. Pure."""

from scoring.measures.names import Measure, UnknownMeasure, parse_measure, parse_measures
from scoring.measures.scoring import score_lists

__all__ = ["Measure", "UnknownMeasure", "parse_measure", "parse_measures", "score_lists"]
