"""Documents of a collection: import, check, filters, rows, history and export.

It imports `corpus.formats`, `corpus.text` and the models. Begin with `importing.py`.
"""
