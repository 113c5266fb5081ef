"""The agreement without the pairs on which a judge got an answer of an admin before judging.

An answer may pull two judges together, so the report has the figures of the other pairs, too.
`figures` computes them, `lines` are for the page.
"""
