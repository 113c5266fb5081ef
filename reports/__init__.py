"""Stored reports of all rooms: one table, one service, and a registry of kinds (ADR 47).

It imports `corpus`, `jobs` and rooms below. Begin with `kinds.py`.
"""
