"""Agreement with and without grades that the marked steps of a method suggest (ADR 70).

`reading` reads the queries that drew lots, `figures` compares the two groups (pure), and `report`
is the stored report, which `page`, `views` and `api` show. It may import what `agreement` may.
"""
