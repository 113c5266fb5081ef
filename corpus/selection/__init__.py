"""The choice of a file's documents to import: filters, citation expansion, duplicates. Pure.

It imports `corpus.formats` and `corpus.text`. Begin with `filters.py`.
"""
