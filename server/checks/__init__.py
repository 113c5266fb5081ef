"""Checks of a running server: each asks one part, and says what to do if it does not work.

`registry` lists them, `running` runs them side by side with a time limit. A check is a function
without arguments that returns a `results.CheckResult`. It raises whatever its part raises:
`running` turns that into a failed result. Nothing here writes a row, and files are removed at once.
"""
