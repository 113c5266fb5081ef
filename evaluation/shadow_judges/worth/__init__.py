"""The worth of a model's labels, beside people's on the same pairs.

`reading.py` reads the compared pairs with the facts about their candidates, and `comparison.py`
one level above stores what the pure modules here compute: agreement by slice (`slices.py`), by
grade (`grades.py`), preference for a family of retrievers (`preference.py`), self-consistency
(`repeated_answers.py`), and decisions about systems (`decisions.py`). All intervals come from the
same resamples of queries (`resamples.py`). `finding.py`, `figures.py` and `tables.py` only show.
docs/shadow_judges.md defines each figure. Begin with `pairs.py`.
"""
