"""Pool rounds: numbered additions to frozen pools (docs/adr/0061-pool-rounds.md).

`choice` chooses documents and is pure. `plans` and `lists` are what a round is chosen from,
`services` previews and writes one, `manifest` is its proof. It imports what `pooling` imports: the
callers know systems, labels and conclusions, and pass lists and documents.
"""
