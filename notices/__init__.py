"""Notices: the work that waits for each person, on pages and as a mail each day or week.

It may import rooms below it, and none of them knows it. Begin with `waiting.py`: it says what
waits. `mails.py` plans and sends the mails of it, at most one a period (ADR 84).
"""
