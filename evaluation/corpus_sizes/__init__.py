"""Retrievers over sub-corpora of growing size, with citations as labels, as in MDCR's tables.

It imports `retrieval`, `scoring` and `reports`, and no labels that people gave. Begin with
`report`: a job chooses each sub-corpus (`sub_corpora`, from what `reading` found), has it indexed
and ranked by processes of their own (`processes`, `child`, `measuring`), and keeps every finished
measurement on disk (`journal`). See docs/adr/0073-corpus-sizes.md.
"""
