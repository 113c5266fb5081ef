"""`make bench-judging`: half a million judgments, measured with real clients against real servers.

For each database: a made-up collection (`state`), gunicorn and a worker as deployed, clients that
ask as browsers do, and steps in processes of their own. Everything lies in one folder and one
database, which are removed, and listens on this machine only.

Begin with `parts`, which names all that is measured. `goals` has the figures to compare with.
"""
