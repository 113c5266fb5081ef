"""Agreement given what the judges looked at: the same aspect of a query, or different ones.

CSFCube's authors found that most disagreements come from different aspects of one facet. `counts`
reads the judged pairs, `report` makes the figures of them, `lines` prepares these for the page, and
`views` makes the queries that an admin splits a query into. It may import what `agreement` may.
"""
