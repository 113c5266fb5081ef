"""Reading a bundle: `opened.py` opens the zip, the other modules read its files as records.

It serves the verification, the import and the pages. It imports nothing of the layouts.
"""
