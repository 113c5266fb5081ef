"""Pairs with two judgments that an admin has decided again: by the adjudicator, or by two judges.

`services` writes; the pages and the API are for admins. Begin with docs/adr/0041-referrals.md.
"""
