"""Django's database backend for SQLite, with writers that wait their turn evenly.

Its migrations keep the triggers of every table.
"""
