"""Databases and releases as earlier versions of Qrelsmith wrote them, and what is tested on them.

`make` writes a set with the code of the version that is checked out, `check` tests one, and
`versions/` has one folder for each version. docs/testing.md says when a set is added.
"""
