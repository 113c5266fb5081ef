"""What belongs to a frozen pool stays: its rows, its runs, and the texts of its documents."""

from django.db import migrations

from database.triggers import Rule, reject

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
FROZEN_TEXT = (
    "EXISTS (SELECT 1 FROM pooling_pool p JOIN pooling_candidate c ON c.pool_id = p.id "
    "JOIN corpus_querypaper q ON q.id = p.query_paper_id "
    "WHERE p.frozen_at IS NOT NULL AND (c.document_id = OLD.id OR q.document_id = OLD.id))"
)
TEXT_COLUMNS = ("title", "sentences", "labels", "digest", "docno")
TEXT_CHANGES = " OR ".join(f"NEW.{name} <> OLD.{name}" for name in TEXT_COLUMNS)
# A release holds exclusions, so it must not follow the words of a page.
NO_EXCLUSION = "NEW.excluded NOT IN ('', 'no-text', 'never-judged')"
DRAFT = "(SELECT frozen_at FROM pooling_pool WHERE id = NEW.pool_id) IS NULL"


def keeps_frozen_pools(name: str, table: str, frozen: str) -> list[Rule]:
    """No row of `table` comes, goes, changes or moves once its pool is frozen."""
    before, after = frozen.format(row="OLD"), frozen.format(row="NEW")
    return [
        reject(f"{name}_insert", table=table, event="INSERT", when=after),
        reject(f"{name}_update", table=table, event="UPDATE", when=f"{before} OR {after}"),
        reject(f"{name}_delete", table=table, event="DELETE", when=before),
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
        when="OLD.frozen_at IS NOT NULL",
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
    *keeps_frozen_pools("candidate_of_frozen_pool", "pooling_candidate", FROZEN_POOL),
    *keeps_frozen_pools("contribution_of_frozen_pool", "pooling_contribution", FROZEN_CANDIDATE),
]
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
    *keeps_frozen_pools("build_run_of_frozen_pool", "pooling_buildrun", FROZEN_BUILD),
    *keeps_frozen_pools("ranking_of_frozen_pool", "retrieval_ranking", FROZEN_RUN),
    reject("pooling_drawnlist_never_edited", table="pooling_drawnlist", event="UPDATE"),
    reject(
        "drawn_list_of_frozen_pool_delete",
        table="pooling_drawnlist",
        event="DELETE",
        when=FROZEN_BUILD.format(row="OLD"),
    ),
]
TEXTS = [
    reject(
        "document_text_in_frozen_pool",
        table="corpus_document",
        event="UPDATE",
        columns=", ".join(TEXT_COLUMNS),
        when=f"({TEXT_CHANGES}) AND {FROZEN_TEXT}",
    ),
    reject(
        "query_paper_of_frozen_pool",
        table="corpus_querypaper",
        event="UPDATE",
        columns="document_id",
        when=(
            "NEW.document_id <> OLD.document_id AND EXISTS (SELECT 1 FROM pooling_pool p "
            "WHERE p.query_paper_id = OLD.id AND p.frozen_at IS NOT NULL)"
        ),
    ),
]


class Migration(migrations.Migration):
    dependencies = [("pooling", "0001_initial"), ("retrieval", "0001_initial")]

    operations = [*POOLS, *EXCLUSIONS, *BUILDS, *TEXTS]
