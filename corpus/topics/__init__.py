"""Topics and queries: their import and their creation from pasted lines.

It imports `corpus.formats`, `corpus.text` and the models. Begin with `importing.py`.
"""
