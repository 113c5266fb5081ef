"""Scores of systems against labels: measures, statistics, folds, systems, baselines, stored
scores.

It imports the labels of `adjudication`, and nothing of `evaluation`, which reports on scores.
Begin with `computation.py`; `measures/` and `statistics/` are pure.
"""
