"""The adjudicator asks both judges of a case to look at it again, in the same neutral words.

`services` writes; `reading` says which questions are open, and what the judgments were before. The
judges answer with `annotation.questions`. Begin with docs/adr/0058-questions-to-judges.md.
"""
