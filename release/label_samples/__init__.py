"""Samples of citation labels that people judge, in collections of their own (ADR 71).

`choice.py` draws a sample, `services.py` makes its collection, and `reading.py` compares its final
labels with the citations. `bundle/label_errors/` has the estimates and the files of a release. It
imports what `release` imports. Begin with `services.py`.
"""
