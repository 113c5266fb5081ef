"""The docs as pages below `/help/`, which open without the internet.

It imports no room. `pages.py` says which page of the docs helps with which page of the product,
and `rendering.py` makes HTML of `docs/*.md`. Begin with `pages.py`.
"""
