"""Proofs about the judging of a collection that an admin can give to others, as stored reports.

They import any room below `release`. Begin with `display.py`.
"""
