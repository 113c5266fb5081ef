"""The page of a document: its text, the pools that have it, and the documents related to it.

It may import every room. Begin with `views.py`.
"""
