"""Measures of systems against labels: their names, their computation, and profiles. Pure."""

from evaluation.measures.names import Measure, UnknownMeasure, parse_measure, parse_measures
from evaluation.measures.scoring import score_lists

__all__ = ["Measure", "UnknownMeasure", "parse_measure", "parse_measures", "score_lists"]
