"""Facets and scale belong to the collection. They are fixed once one of its queries is open."""

from django.db import migrations, models

from database.triggers import append_only, dropped, reject

OPENED_COLLECTION = (
    "EXISTS (SELECT 1 FROM annotation_opening o JOIN corpus_query q ON q.id = o.query_id "
    "WHERE q.collection_id = {collection})"
)
# Every scale has 0 and 1, so most judgments need no look at the collection.
NOT_ON_THE_SCALE = (
    "NEW.grade > 1 AND NEW.grade > (SELECT c.highest_grade FROM annotation_slot s "
    "JOIN annotation_pair p ON p.id = s.pair_id JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_collection c ON c.id = q.collection_id WHERE s.id = NEW.slot_id)"
)
_, GUIDELINE_NEVER_DELETED = append_only("annotation_guideline")

FIXED_ONCE_OPENED = [
    reject(
        "scale_stays_once_opened",
        table="accounts_collection",
        event="UPDATE",
        columns="highest_grade, relevant_from",
        when=(
            "(NEW.highest_grade <> OLD.highest_grade OR NEW.relevant_from <> OLD.relevant_from) "
            f"AND {OPENED_COLLECTION.format(collection='NEW.id')}"
        ),
    ),
    reject(
        "facet_never_added_once_opened",
        table="corpus_facet",
        event="INSERT",
        when=OPENED_COLLECTION.format(collection="NEW.collection_id"),
    ),
    reject(
        "facet_never_deleted_once_opened",
        table="corpus_facet",
        event="DELETE",
        when=OPENED_COLLECTION.format(collection="OLD.collection_id"),
    ),
    # Until then a facet can go, and its guidelines with it.
    dropped(GUIDELINE_NEVER_DELETED),
    reject(
        "guideline_never_deleted_once_opened",
        table="annotation_guideline",
        event="DELETE",
        when=OPENED_COLLECTION.format(
            collection="(SELECT f.collection_id FROM corpus_facet f WHERE f.id = OLD.facet_id)"
        ),
    ),
]


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_scale"),
        ("annotation", "0005_slot_count_index"),
        ("corpus", "0003_whole_facet"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="judgment", name="judgment_grade_or_reason"),
        migrations.AddConstraint(
            model_name="judgment",
            constraint=models.CheckConstraint(
                condition=models.Q(grade__isnull=False, grade__lte=4, reason="")
                | models.Q(
                    grade__isnull=True, reason__in=["garbled", "language", "other", "source"]
                ),
                name="judgment_grade_or_reason",
            ),
        ),
        reject(
            "judgment_grade_on_the_scale",
            table="annotation_judgment",
            event="INSERT",
            when=NOT_ON_THE_SCALE,
        ),
        *FIXED_ONCE_OPENED,
    ]
