"""Training: sets of pairs with known grades (gold), and what their results say of a person.

`gold` and `files` make sets, `offers` says which set is next for a person, `services` begins a set
and, with its last answer, ends it: the result is written and qualifies the person, or does not.
Nothing of the gold leaves the server before that. `skill` measures who is a senior.
Begin with docs/adr/0055-qualifications.md.
"""
