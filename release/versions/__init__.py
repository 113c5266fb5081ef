"""Published versions compared with each other and with the collection as it is now.

It imports `release.models` and `bundle`. Begin with `changes.py`.
"""
