"""Dates by which the judging of a collection, or the share of one annotator, is to be done.

Begin with `models.py`. The board of `dashboard` says who will miss a date.
"""
