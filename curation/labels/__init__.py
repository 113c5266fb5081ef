"""Predicted sentence labels: labellers, their training, prediction, and the page *Labels*.

It imports `curation.labelling`, which is pure. Begin with `prediction.py`.
"""
