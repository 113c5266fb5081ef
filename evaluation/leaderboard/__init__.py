"""The leaderboard: ranks of systems, tables for files, API.

It imports `scoring`. Begin with `rows.py`.
"""
