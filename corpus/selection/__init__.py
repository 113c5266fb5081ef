"""Which documents of a file are imported: filters, citation expansion, duplicates. Pure.

It imports `corpus.formats` and `corpus.text`. Begin with `filters.py`.
"""
