"""The blindness check: what annotators and adjudicators can get holds nothing they must not know.

`visitor.py` requests addresses as a person, `addresses.py` lists them, `hidden_text.py` searches
the answers, `comparison.py` changes what others judged and compares the answers, and `report.py`
is the stored report. Everything happens in transactions that are rolled back.
"""
