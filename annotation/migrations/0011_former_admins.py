"""A person who was ever an admin of the collection adds no judgment, not even to an own slot."""

from django.db import migrations

from database.triggers import reject

BY_AN_ADMIN = (
    "EXISTS (SELECT 1 FROM annotation_slot s "
    "JOIN annotation_pair p ON p.id = s.pair_id "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_givenrole g ON g.collection_id = q.collection_id "
    "WHERE s.id = NEW.slot_id AND g.user_id = NEW.annotator_id AND g.role = 'admin')"
)


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0010_unchecked_labels"),
        ("accounts", "0008_given_roles"),
    ]

    operations = [
        reject(
            "judgment_never_by_an_admin",
            table="annotation_judgment",
            event="INSERT",
            when=BY_AN_ADMIN,
        )
    ]
