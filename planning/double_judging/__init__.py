"""Plans of judging: the pairs that need a second judge, compared on pairs that two people judged.

Begin with `strategies`. `calibration`, `strategies`, `plan_figures`, `comparison` and `offers` are
pure: labels and scores of a model come in as values. `reading` reads them from a collection,
`report` stores the comparison, and `pair_list` lists the pairs that a plan would judge twice.
Nothing here writes judgments, openings or pools: two judges for each pair stay the default.
"""
