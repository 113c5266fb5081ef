"""Checks that a release is whole and that its labels follow from its judgments. Pure.

`verify` is the way in. No database, and no setting of a server, is read.
"""
