"""The errors of citation labels, from a sample of them that people judged.

`rates.py` estimates them, and `layout.py` writes and checks the folder `label_errors/` of a
release. It imports what `bundle` imports, and no Django. Begin with `rates.py`.
"""
