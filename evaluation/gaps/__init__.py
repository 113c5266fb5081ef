"""The unjudged documents of runs, and the changes that their labels could make.

It imports `scoring`, `reports` and the hours of judging. Begin with `bounds.py`, which is pure.
"""
