"""Reading a whole database at one moment, restoring it beside the one in use, and changing places.

`interface.py` says what both databases do; `current.py` gives the one of the settings.
"""
