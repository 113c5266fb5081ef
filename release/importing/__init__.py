"""Making a collection from a release.

`service` is the way in. It checks the file, and then writes documents, queries, runs, pools and
judgments in one transaction, each in a module of its own.
"""
