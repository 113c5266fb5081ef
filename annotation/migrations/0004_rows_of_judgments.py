"""What a judgment is about stays: its slot, its pair, and all that was shown with it."""

from django.db import migrations

from database.triggers import reject

OPENED_QUERY = "EXISTS (SELECT 1 FROM annotation_opening o WHERE o.query_id = OLD.id)"
OPENED_FACET = (
    "EXISTS (SELECT 1 FROM annotation_opening o JOIN corpus_query q ON q.id = o.query_id "
    "WHERE q.facet_id = OLD.id)"
)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_seats_of_annotators")]

    operations = [
        reject(
            "slot_stays_in_its_pair",
            table="annotation_slot",
            event="UPDATE",
            columns="pair_id, number",
            when="NEW.pair_id <> OLD.pair_id OR NEW.number <> OLD.number",
        ),
        reject(
            "slot_begins_empty",
            table="annotation_slot",
            event="INSERT",
            when="NEW.judgment_id IS NOT NULL",
        ),
        reject(
            "slot_shows_its_latest_judgment",
            table="annotation_slot",
            event="UPDATE",
            columns="judgment_id",
            when=(
                "EXISTS (SELECT 1 FROM annotation_judgment shown, annotation_judgment later "
                "WHERE shown.id = NEW.judgment_id AND later.slot_id = NEW.id "
                "AND later.sequence > shown.sequence)"
            ),
        ),
        reject(
            "pair_never_edited",
            table="annotation_pair",
            event="UPDATE",
            columns="query_id, candidate_id",
            when="NEW.query_id <> OLD.query_id OR NEW.candidate_id <> OLD.candidate_id",
        ),
        reject(
            "opening_never_edited",
            table="annotation_opening",
            event="UPDATE",
            columns="query_id, guideline_id",
            when="NEW.query_id <> OLD.query_id OR NEW.guideline_id <> OLD.guideline_id",
        ),
        reject(
            "query_stays_once_opened",
            table="corpus_query",
            event="UPDATE",
            columns="name, facet_id, query_paper_id",
            when=(
                "(NEW.name <> OLD.name OR NEW.facet_id <> OLD.facet_id "
                f"OR NEW.query_paper_id <> OLD.query_paper_id) AND {OPENED_QUERY}"
            ),
        ),
        reject(
            "facet_stays_once_opened",
            table="corpus_facet",
            event="UPDATE",
            columns="key, labels",
            when=f"(NEW.key <> OLD.key OR NEW.labels <> OLD.labels) AND {OPENED_FACET}",
        ),
    ]
