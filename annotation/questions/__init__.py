"""Questions of the adjudicator, as the judge who is asked sees them: only his or her own part.

Judges are told nothing of the other judge: not the grade, nor whether he or she has answered. The
adjudicator asks with `adjudication.questions`. Begin with docs/adr/0058-questions-to-judges.md.
"""
