"""The consent of judges: a collection's text in versions, and who agreed to which, and when.

Begin with `services.py`. The service of judgments checks it (`annotation/slot_sql.py`). It costs no
query where a collection asks for no consent. docs/adr/0085-rights-of-people.md has the reasons.
"""
