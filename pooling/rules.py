"""The rules of the database about frozen pools.

What belongs to a frozen pool stays: its rows, its runs, and the texts of its documents and topics.
"""

from __future__ import annotations

from accounts.rules import not_being_deleted
from database.triggers import Rule, changed, reject

FROZEN_POOL = "(SELECT frozen_at FROM pooling_pool WHERE id = {row}.pool_id) IS NOT NULL"
FROZEN_CANDIDATE = (
    "(SELECT p.frozen_at FROM pooling_pool p JOIN pooling_candidate c ON c.pool_id = p.id "
    "WHERE c.id = {row}.candidate_id) IS NOT NULL"
)
FROZEN_BUILD = (
    "EXISTS (SELECT 1 FROM pooling_pool p "
    "WHERE p.build_id = {row}.build_id AND p.frozen_at IS NOT NULL)"
)
FROZEN_RUN = (
    "EXISTS (SELECT 1 FROM pooling_pool p JOIN pooling_buildrun b ON b.build_id = p.build_id "
    "WHERE b.run_id = {row}.run_id AND p.frozen_at IS NOT NULL)"
)
# The collection of a row that is being deleted.
OF_BUILD = "(SELECT b.collection_id FROM pooling_poolbuild b WHERE b.id = OLD.build_id)"
OF_POOL = (
    "(SELECT b.collection_id FROM pooling_pool p JOIN pooling_poolbuild b ON b.id = p.build_id "
    "WHERE p.id = OLD.pool_id)"
)
OF_CANDIDATE = (
    "(SELECT b.collection_id FROM pooling_candidate c JOIN pooling_pool p ON p.id = c.pool_id "
    "JOIN pooling_poolbuild b ON b.id = p.build_id WHERE c.id = OLD.candidate_id)"
)


def stay_in_frozen_pools(name: str, *, table: str, frozen: str, collection: str = "") -> list[Rule]:
    """Reject rows that are added, changed, moved or deleted once their pool is `frozen`.

    Rows with a `collection` may be deleted while it is being deleted. The others are deleted after
    the frozen pools.
    """
    before, after = frozen.format(row="OLD"), frozen.format(row="NEW")
    deleted = f"{before} AND {not_being_deleted(collection)}" if collection else before
    return [
        reject(f"{name}_insert", table=table, event="INSERT", when=after),
        reject(f"{name}_update", table=table, event="UPDATE", when=f"{before} OR {after}"),
        reject(f"{name}_delete", table=table, event="DELETE", when=deleted),
    ]


POOLS = [
    reject(
        "pool_stays_frozen",
        table="pooling_pool",
        event="UPDATE",
        when="OLD.frozen_at IS NOT NULL",
    ),
    reject(
        "pool_frozen_never_deleted",
        table="pooling_pool",
        event="DELETE",
        when=f"OLD.frozen_at IS NOT NULL AND {not_being_deleted(OF_BUILD)}",
    ),
    reject(
        "pool_frozen_with_its_runs",
        table="pooling_pool",
        event="UPDATE",
        columns="frozen_at",
        when=(
            "NEW.frozen_at IS NOT NULL AND EXISTS (SELECT 1 FROM pooling_buildrun b "
            "WHERE b.build_id = NEW.build_id AND b.run_id IS NULL)"
        ),
    ),
    *stay_in_frozen_pools(
        "candidate_of_frozen_pool",
        table="pooling_candidate",
        frozen=FROZEN_POOL,
        collection=OF_POOL,
    ),
    *stay_in_frozen_pools(
        "contribution_of_frozen_pool",
        table="pooling_contribution",
        frozen=FROZEN_CANDIDATE,
        collection=OF_CANDIDATE,
    ),
]

# A release holds exclusions, so it must not follow the words of a page.
NO_EXCLUSION = "NEW.excluded NOT IN ('', 'no-text', 'never-judged')"
DRAFT = "(SELECT frozen_at FROM pooling_pool WHERE id = NEW.pool_id) IS NULL"
EXCLUSIONS = [
    reject(
        "candidate_exclusion_is_a_code_insert",
        table="pooling_candidate",
        event="INSERT",
        when=NO_EXCLUSION,
    ),
    reject(
        "candidate_exclusion_is_a_code_update",
        table="pooling_candidate",
        event="UPDATE",
        columns="excluded",
        # Candidates of frozen pools have a rule of their own that refuses any change.
        when=f"{NO_EXCLUSION} AND {DRAFT}",
    ),
]

BUILDS = [
    *stay_in_frozen_pools(
        "build_run_of_frozen_pool", table="pooling_buildrun", frozen=FROZEN_BUILD
    ),
    *stay_in_frozen_pools("ranking_of_frozen_pool", table="retrieval_ranking", frozen=FROZEN_RUN),
    reject("pooling_drawnlist_never_edited", table="pooling_drawnlist", event="UPDATE"),
    reject(
        "drawn_list_of_frozen_pool_delete",
        table="pooling_drawnlist",
        event="DELETE",
        # The latest time is at the end of the index `frozen_pool_by_build`. With EXISTS, PostgreSQL
        # expects to meet a frozen pool soon and goes through all pools: 3 s for 3,800 lists.
        when="(SELECT max(p.frozen_at) FROM pooling_pool p WHERE p.build_id = OLD.build_id) "
        "IS NOT NULL",
    ),
]

TEXT_OF_DOCUMENT = ("title", "sentences", "labels", "digest", "docno")
TEXT_OF_TOPIC = (
    *("title", "sentences", "narrative", "narrative_is_shown"),
    *("description", "digest", "name"),
)
DOCUMENT_IN_FROZEN_POOL = (
    "EXISTS (SELECT 1 FROM pooling_pool p JOIN pooling_candidate c ON c.pool_id = p.id "
    "JOIN corpus_querypaper q ON q.id = p.query_paper_id "
    "WHERE p.frozen_at IS NOT NULL AND (c.document_id = OLD.id OR q.document_id = OLD.id))"
)
TOPIC_OF_FROZEN_POOL = (
    "EXISTS (SELECT 1 FROM pooling_pool p JOIN corpus_querypaper q ON q.id = p.query_paper_id "
    "WHERE p.frozen_at IS NOT NULL AND q.topic_id = OLD.id)"
)
# A query paper has a document or a topic. The other one is NULL, and NULL <> 1 is not true.
OTHER_SOURCE = (
    "(COALESCE(NEW.document_id, 0) <> COALESCE(OLD.document_id, 0) "
    "OR COALESCE(NEW.topic_id, 0) <> COALESCE(OLD.topic_id, 0))"
)
TEXTS = [
    reject(
        "document_text_in_frozen_pool",
        table="corpus_document",
        event="UPDATE",
        columns=", ".join(TEXT_OF_DOCUMENT),
        when=f"({changed(*TEXT_OF_DOCUMENT)}) AND {DOCUMENT_IN_FROZEN_POOL}",
    ),
    reject(
        "query_paper_of_frozen_pool",
        table="corpus_querypaper",
        event="UPDATE",
        columns="document_id, topic_id",
        when=(
            f"{OTHER_SOURCE} AND EXISTS (SELECT 1 FROM pooling_pool p "
            "WHERE p.query_paper_id = OLD.id AND p.frozen_at IS NOT NULL)"
        ),
    ),
    reject(
        "topic_text_in_frozen_pool",
        table="corpus_topic",
        event="UPDATE",
        columns=", ".join(TEXT_OF_TOPIC),
        when=f"({changed(*TEXT_OF_TOPIC)}) AND {TOPIC_OF_FROZEN_POOL}",
    ),
]

RULES = [*POOLS, *EXCLUSIONS, *BUILDS, *TEXTS]
