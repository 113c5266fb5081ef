"""Grades that an adjudicator gives without seeing the two judgments of a pair.

Before the decision, in a collection that grades blind first; and on a share of the agreed pairs,
as spot checks. `reading` says which pairs are blind for whom, `services` writes, `report` has the
figures for admins. Begin with docs/adr/0057-blind-ratings-and-claims.md.
"""
