"""Reading a bundle: `opened.py` opens the zip, `rows.py` reads its files as records.

It serves the verification, the import and the pages. It imports nothing of the layouts.
"""
