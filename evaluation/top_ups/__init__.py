"""Top-ups: a pool round from runs and systems, its preview, and its opening for judging.

`runs` reads the lists, `decisive` finds the documents that can change a conclusion, and `services`
queues the job. The round itself is written by `pooling.rounds`, and judged by
`annotation.pool_rounds`. See docs/adr/0061-pool-rounds.md.
"""
