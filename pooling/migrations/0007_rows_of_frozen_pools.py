"""Rows that move into a frozen pool, and texts that change without their digest, are refused."""

import importlib

from django.db import migrations

from database.triggers import lifted, reject

earlier = importlib.import_module("pooling.migrations.0002_rules")
build_runs = importlib.import_module("pooling.migrations.0004_build_runs")

FROZEN_BUILD = (
    "EXISTS (SELECT 1 FROM pooling_pool p "
    "WHERE p.build_id = {row}.build_id AND p.frozen_at IS NOT NULL)"
)
FROZEN_RUN = (
    "EXISTS (SELECT 1 FROM pooling_pool p JOIN pooling_buildrun b ON b.build_id = p.build_id "
    "WHERE b.run_id = {row}.run_id AND p.frozen_at IS NOT NULL)"
)
TEXT_COLUMNS = ("title", "sentences", "labels", "digest", "docno")
FROZEN_TEXT = (
    "EXISTS (SELECT 1 FROM pooling_pool p JOIN pooling_candidate c ON c.pool_id = p.id "
    "JOIN corpus_querypaper q ON q.id = p.query_paper_id "
    "WHERE p.frozen_at IS NOT NULL AND (c.document_id = OLD.id OR q.document_id = OLD.id))"
)


def differs(*columns: str) -> str:
    return "({})".format(" OR ".join(f"NEW.{name} <> OLD.{name}" for name in columns))


def either(frozen: str) -> str:
    """The row is moved out of, or into, what is frozen."""
    return f"{frozen.format(row='OLD')} OR {frozen.format(row='NEW')}"


def moved(name: str, table: str, before: str, frozen: str) -> list[migrations.RunPython]:
    """Widen the rule about updates, which looked only at where a row was."""
    return [
        lifted(reject(name, table=table, event="UPDATE", when=before)),
        reject(name, table=table, event="UPDATE", when=either(frozen)),
    ]


class Migration(migrations.Migration):
    dependencies = [("pooling", "0006_retired_runs")]

    operations = [
        *moved(
            "candidate_of_frozen_pool_update",
            "pooling_candidate",
            earlier.FROZEN_POOL.format(row="OLD"),
            earlier.FROZEN_POOL,
        ),
        *moved(
            "contribution_of_frozen_pool_update",
            "pooling_contribution",
            earlier.FROZEN_CANDIDATE.format(row="OLD"),
            earlier.FROZEN_CANDIDATE,
        ),
        *moved(
            "build_run_of_frozen_pool_update",
            "pooling_buildrun",
            build_runs.FROZEN_BUILD,
            FROZEN_BUILD,
        ),
        reject(
            "build_run_of_frozen_pool_insert",
            table="pooling_buildrun",
            event="INSERT",
            when=FROZEN_BUILD.format(row="NEW"),
        ),
        *moved(
            "ranking_of_frozen_pool_update",
            "pooling_ranking",
            build_runs.FROZEN_RUN,
            FROZEN_RUN,
        ),
        reject(
            "ranking_of_frozen_pool_insert",
            table="pooling_ranking",
            event="INSERT",
            when=FROZEN_RUN.format(row="NEW"),
        ),
        reject("pooling_drawnlist_never_edited", table="pooling_drawnlist", event="UPDATE"),
        reject(
            "drawn_list_of_frozen_pool_delete",
            table="pooling_drawnlist",
            event="DELETE",
            when=FROZEN_BUILD.format(row="OLD"),
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
        lifted(
            reject(
                "document_text_in_frozen_pool",
                table="corpus_document",
                event="UPDATE",
                columns=", ".join(TEXT_COLUMNS),
                when=f"{differs('digest', 'docno')} AND {FROZEN_TEXT}",
            )
        ),
        reject(
            "document_text_in_frozen_pool",
            table="corpus_document",
            event="UPDATE",
            columns=", ".join(TEXT_COLUMNS),
            when=f"{differs(*TEXT_COLUMNS)} AND {FROZEN_TEXT}",
        ),
    ]
