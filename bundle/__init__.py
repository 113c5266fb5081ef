"""A release, apart from any database: its records, files, layouts, README, and verification.

It imports values of other rooms, and no Django. Begin with `records.py`, the values that a bundle
is written from, and `layouts/__init__.py`, the list of the parts of a bundle.
"""
