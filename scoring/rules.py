"""The rules of the database about published labels: they stay as they were imported."""

from __future__ import annotations

from accounts.rules import kept_rows

RULES = [
    *kept_rows(
        "published_label_set",
        table="scoring_publishedlabelset",
        collection="OLD.collection_id",
    ),
    *kept_rows(
        "published_labels",
        table="scoring_publishedlabels",
        collection="(SELECT q.collection_id FROM corpus_query q WHERE q.id = OLD.query_id)",
    ),
]
