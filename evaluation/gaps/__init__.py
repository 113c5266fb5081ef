"""What the labels of a run lack: its unjudged documents, and what their labels could change.

It imports `scoring`, `reports` and the hours of judging. Begin with `bounds.py`, which is pure.
"""
