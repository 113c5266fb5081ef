"""The checks before a version is published.

It imports the rooms below and `bundle`. Begin with `checks.py`, which states every check.
"""
