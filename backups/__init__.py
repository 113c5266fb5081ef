"""Backups of the whole server: the database and the files that its rows name, at one moment.

Begin with `making.py:make_backup` and `restoring.py:restore_backup`. `archive.py` is the form of
the file, and `databases/` has what PostgreSQL and SQLite do differently. See
docs/adr/0079-backups.md.
"""
