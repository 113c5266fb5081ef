"""Bounds of scores, of differences and of places; decisive documents. Pure.

It imports `scoring.measures` and `scoring.statistics`. Begin with `bounds.py`.
"""
