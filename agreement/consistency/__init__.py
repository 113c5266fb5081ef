"""The judging of each annotator over time: self-consistency from hidden repeats, and drift.

`repeated` and `drift` compute (pure), `advice` says it in words (pure), `reading` reads the rows,
`report` is the stored report, `page` has its tables and figures. `stacked_tables` has coefficients
of many tables (pure), for all bootstraps of agreement. It imports modules of `agreement` and rooms
below, and only admins are shown it. Begin with `report`.
"""
