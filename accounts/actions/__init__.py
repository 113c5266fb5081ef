"""The record of actions: who did what in a collection or on the server, when, and from where.

Begin with `services.py:record_action`, which a service calls in its transaction. `actors.py` says
who acts. The package imports other modules of accounts, and web; docs/adr/0077-record-of-actions.md
has the reasons.
"""
