"""Baselines: the judged pool of every query, ranked again as in CSFCube's paper or by variants."""
