"""Topics of frozen pools stay, and a changed topic marks its pairs."""

from importlib import import_module

from django.db import migrations

from database.triggers import dropped, keep, reject

RULES = import_module("pooling.migrations.0002_rules")
MARKS = import_module("annotation.migrations.0004_marks")

SHOWN = ("title", "sentences", "narrative", "narrative_is_shown")
TEXT = (*SHOWN, "description", "digest", "name")
OF_FROZEN_POOL = (
    "EXISTS (SELECT 1 FROM pooling_pool p JOIN corpus_querypaper q ON q.id = p.query_paper_id "
    "WHERE p.frozen_at IS NOT NULL AND q.topic_id = OLD.id)"
)
# A query paper has a document or a topic. The other one is NULL, and NULL <> 1 is not true.
OTHER_SOURCE = (
    "(COALESCE(NEW.document_id, 0) <> COALESCE(OLD.document_id, 0) "
    "OR COALESCE(NEW.topic_id, 0) <> COALESCE(OLD.topic_id, 0))"
)
OF_QUERY_PAPER = "query_id IN (SELECT q.id FROM corpus_query q WHERE q.query_paper_id = NEW.id)"
OF_TOPIC = (
    "query_id IN (SELECT q.id FROM corpus_query q "
    "JOIN corpus_querypaper p ON p.id = q.query_paper_id WHERE p.topic_id = NEW.id)"
)


_, OLD_RULE = RULES.TEXTS
*_, OLD_MARK, _ = MARKS.SHOWN


def changed(columns: tuple[str, ...]) -> str:
    return " OR ".join(f"NEW.{column} <> OLD.{column}" for column in columns)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0006_scale"),
        ("corpus", "0005_query_paper_names"),
        ("pooling", "0004_last_plan"),
    ]

    operations = [
        dropped(OLD_RULE),
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
            columns=", ".join(TEXT),
            when=f"({changed(TEXT)}) AND {OF_FROZEN_POOL}",
        ),
        dropped(OLD_MARK),
        keep(
            "mark_pairs_of_a_changed_query_paper",
            table="corpus_querypaper",
            event="UPDATE",
            columns="document_id, topic_id",
            when=OTHER_SOURCE,
            statements=[MARKS.MARK + OF_QUERY_PAPER],
        ),
        keep(
            "mark_pairs_of_a_changed_topic",
            table="corpus_topic",
            event="UPDATE",
            columns=", ".join(SHOWN),
            when=changed(SHOWN),
            statements=[MARKS.MARK + OF_TOPIC],
        ),
    ]
