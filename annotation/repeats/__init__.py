"""Hidden repeats: pairs that come to their judge a second time, to measure self-consistency.

`choice` says which pairs, and when they come (pure); `planning` makes their rows; `waiting` reads
an annotator's own. Imports `annotation.models`, `slot_sql` and rooms below, so that services and
pages of judging can use it. Begin with `choice`. docs/adr/0060-hidden-repeats.md.
"""
