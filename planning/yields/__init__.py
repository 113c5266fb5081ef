"""Relevant documents per hour of judging, found so far and expected, and advice to stop.

The pure modules are `rates`, `forecast`, `stopping` and `figures`. Begin with `report`: it reads the
pairs once and stores what the pages show. Only admins see any of it, because a forecast tells
annotators which candidates are likely to be relevant. See docs/adr/0064-yields-and-stopping.md.
"""
