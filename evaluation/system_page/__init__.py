"""The page of a system: what it is, its scores, its queries, and what only it found.

It imports `scoring`, the leaderboard and the figure of two systems. Begin with `page.py`.
"""
