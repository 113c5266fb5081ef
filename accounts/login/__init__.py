"""Logging in: limits of tries, browsers that are known, and the session with its person."""
