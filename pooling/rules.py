"""The rules of the database about frozen pools.

What belongs to a frozen pool stays: its rows, its runs, and the texts of its documents and topics.
Only a pool round that is being written may add candidates to it.
"""

from __future__ import annotations

from accounts.rules import not_being_deleted
from database.triggers import Rule, changed, keep, partial_index, reject

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
FROZEN_ROUND = (
    "(SELECT frozen_at FROM pooling_poolround WHERE id = {row}.pool_round_id) IS NOT NULL"
)
# A pool round of the collection that is being written; its row is `r`.
WRITTEN_ROUND = (
    "EXISTS (SELECT 1 FROM pooling_poolround r "
    "JOIN pooling_poolbuild b ON b.collection_id = r.collection_id "
    "JOIN pooling_pool p ON p.build_id = b.id {{candidate}}"
    "WHERE {condition} AND r.frozen_at IS NULL)"
)
ROUND_OF_POOL = WRITTEN_ROUND.format(condition="p.id = NEW.id").format(candidate="")
ROUND_OF_CANDIDATE = WRITTEN_ROUND.format(
    condition="p.id = NEW.pool_id AND r.number = NEW.round"
).format(candidate="")
ROUND_OF_CONTRIBUTION = WRITTEN_ROUND.format(
    condition="c.id = NEW.candidate_id AND r.number = c.round"
).format(candidate="JOIN pooling_candidate c ON c.pool_id = p.id ")
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
OF_LIST = "(SELECT r.collection_id FROM pooling_poolround r WHERE r.id = OLD.pool_round_id)"


def stay_in_frozen_pools(
    name: str, *, table: str, frozen: str, collection: str = "", added_by: str = ""
) -> list[Rule]:
    """Reject rows that are added, changed, moved or deleted once their pool is `frozen`.

    Rows with a `collection` may be deleted while it is being deleted. The others are deleted after
    the frozen pools. Rows may be added where `added_by` holds.
    """
    before, after = frozen.format(row="OLD"), frozen.format(row="NEW")
    deleted = f"{before} AND {not_being_deleted(collection)}" if collection else before
    return [
        reject(
            f"{name}_insert",
            table=table,
            event="INSERT",
            when=f"{after} AND NOT {added_by}" if added_by else after,
        ),
        reject(f"{name}_update", table=table, event="UPDATE", when=f"{before} OR {after}"),
        reject(f"{name}_delete", table=table, event="DELETE", when=deleted),
    ]


# All but `size` and `to_judge`, to which a pool round adds.
COLUMNS_OF_POOL = (
    "query_paper_id, drawn_for, build_id, retriever_order, shortfall, depth, drawn, forced, "
    "shortfall_sum, deepest, frozen_at"
)
POOLS = [
    reject(
        "pool_stays_frozen",
        table="pooling_pool",
        event="UPDATE",
        columns=COLUMNS_OF_POOL,
        when="OLD.frozen_at IS NOT NULL",
    ),
    reject(
        "pool_size_stays_frozen",
        table="pooling_pool",
        event="UPDATE",
        columns="size, to_judge",
        when=f"OLD.frozen_at IS NOT NULL AND NOT {ROUND_OF_POOL}",
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
        added_by=ROUND_OF_CANDIDATE,
    ),
    reject(
        "candidate_of_draft_is_of_first_round",
        table="pooling_candidate",
        event="INSERT",
        when=f"NEW.round <> 1 AND NOT {FROZEN_POOL.format(row='NEW')}",
    ),
    keep(
        "count_candidate_of_round",
        table="pooling_candidate",
        event="INSERT",
        when="NEW.round > 1",
        statements=[
            "UPDATE pooling_pool SET size = size + 1, to_judge = to_judge + "
            "CASE WHEN NEW.excluded = '' THEN 1 ELSE 0 END WHERE id = NEW.pool_id"
        ],
    ),
    *stay_in_frozen_pools(
        "contribution_of_frozen_pool",
        table="pooling_contribution",
        frozen=FROZEN_CANDIDATE,
        collection=OF_CANDIDATE,
        added_by=ROUND_OF_CONTRIBUTION,
    ),
]

ROUND = "pooling_poolround"
COLUMNS_OF_ROUND = (
    "collection_id, number, reason, choice, depth, seed, parameters, manifest, made_at, frozen_at"
)
ROUNDS = [
    reject(
        "pool_round_begins_unfrozen",
        table=ROUND,
        event="INSERT",
        when="NEW.frozen_at IS NOT NULL",
    ),
    # The manifest of a round names that of the round before, so rounds come one after the other.
    reject(
        "pool_round_follows_the_last",
        table=ROUND,
        event="INSERT",
        when=(
            f"NEW.number <> 1 + COALESCE((SELECT MAX(r.number) FROM {ROUND} r "
            "WHERE r.collection_id = NEW.collection_id), 1) "
            f"OR EXISTS (SELECT 1 FROM {ROUND} r "
            "WHERE r.collection_id = NEW.collection_id AND r.frozen_at IS NULL)"
        ),
    ),
    reject(
        "pool_round_stays_frozen",
        table=ROUND,
        event="UPDATE",
        columns=COLUMNS_OF_ROUND,
        when="OLD.frozen_at IS NOT NULL",
    ),
    reject(
        "pool_round_frozen_never_deleted",
        table=ROUND,
        event="DELETE",
        when=f"OLD.frozen_at IS NOT NULL AND {not_being_deleted('OLD.collection_id')}",
    ),
    *stay_in_frozen_pools(
        "list_of_frozen_round",
        table="pooling_roundlist",
        frozen=FROZEN_ROUND,
        collection=OF_LIST,
    ),
]

# Few candidates, which are looked for in every pool.
LATER = [
    partial_index(
        "candidate_of_later_round",
        table="pooling_candidate",
        columns="pool_id",
        where="round > 1",
    )
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

RULES = [*POOLS, *LATER, *EXCLUSIONS, *ROUNDS, *BUILDS, *TEXTS]
