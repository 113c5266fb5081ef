"""The page of a query: its text, its progress, its candidates and what scores say of it.

It may import every room. Begin with `views.py`.
"""
