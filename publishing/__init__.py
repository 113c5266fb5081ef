"""The pages of public releases, for readers without an account.

It imports `release` and `bundle`. Begin with `views.py`.
"""
