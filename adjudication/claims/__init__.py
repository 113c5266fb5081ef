"""Pairs that an adjudicator has open, so that two adjudicators never work on the same one.

`services` writes. The pages claim where they lead to the next case; `static/js/claiming.js` renews
the claim while the person works. Begin with docs/adr/0057-blind-ratings-and-claims.md.
"""
