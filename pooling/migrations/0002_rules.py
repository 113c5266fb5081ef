from django.db import migrations

from database.triggers import reject

FROZEN_POOL = "(SELECT frozen_at FROM pooling_pool WHERE id = {row}.pool_id) IS NOT NULL"
FROZEN_CANDIDATE = (
    "(SELECT p.frozen_at FROM pooling_pool p JOIN pooling_candidate c ON c.pool_id = p.id "
    "WHERE c.id = {row}.candidate_id) IS NOT NULL"
)


def keeps_frozen_pools(name: str, table: str, frozen: str) -> list[migrations.RunPython]:
    """No row of `table` comes, goes or changes once its pool is frozen."""
    return [
        reject(f"{name}_insert", table=table, event="INSERT", when=frozen.format(row="NEW")),
        reject(f"{name}_update", table=table, event="UPDATE", when=frozen.format(row="OLD")),
        reject(f"{name}_delete", table=table, event="DELETE", when=frozen.format(row="OLD")),
    ]


class Migration(migrations.Migration):
    dependencies = [("pooling", "0001_initial")]

    operations = [
        *keeps_frozen_pools("candidate_of_frozen_pool", "pooling_candidate", FROZEN_POOL),
        *keeps_frozen_pools(
            "contribution_of_frozen_pool", "pooling_contribution", FROZEN_CANDIDATE
        ),
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
            "document_text_in_frozen_pool",
            table="corpus_document",
            event="UPDATE",
            columns="title, sentences, labels, digest, docno",
            when=(
                "(NEW.digest <> OLD.digest OR NEW.docno <> OLD.docno) AND EXISTS ("
                "SELECT 1 FROM pooling_pool p JOIN pooling_candidate c ON c.pool_id = p.id "
                "JOIN corpus_querypaper q ON q.id = p.query_paper_id "
                "WHERE p.frozen_at IS NOT NULL "
                "AND (c.document_id = OLD.id OR q.document_id = OLD.id))"
            ),
        ),
    ]
