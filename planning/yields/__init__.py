"""Relevant documents per hour of judging, found so far and expected, and advice to stop.

It imports `adjudication` for final grades and `agreement` for intervals. Begin with `report`: it
reads the pairs once and stores what the pages show. Only admins see any of it, because a forecast
would tell annotators which candidates are likely to be relevant. See
docs/adr/0064-yields-and-stopping.md.
"""
