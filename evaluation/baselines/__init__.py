"""Baselines: the judged pool of every query, ranked again by the sentences of its facet."""
