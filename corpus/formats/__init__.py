"""Files of documents, topics and full texts, read as lines of values. Pure and linear in the
file's size.

It imports `corpus.text` and `web`. Begin with `sources.py`, which recognises a file, and
`registry.py`.
"""
