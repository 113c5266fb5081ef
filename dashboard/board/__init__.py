"""The judging board: queries, people, opening and rebalancing.

It imports `annotation` and `adjudication`. Begin with `views.py`.
"""
