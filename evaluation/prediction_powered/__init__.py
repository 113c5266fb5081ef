"""Scores estimated from few people's labels and a model's, with what the model saves.

`sample.py` decides if the judged queries are a random sample, `reading.py` reads the scores under
both labels, and `report.py` makes the stored report of them. `simulation.py` draws judged queries
from a collection that people judged whole. The formulas are in
`scoring/statistics/prediction_powered.py`.
"""
