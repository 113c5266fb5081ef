"""A collection has facets with keys, or only the facet with the empty key: the whole document."""

from django.db import migrations, models

from database.triggers import reject

BESIDE_ANOTHER = (
    "EXISTS (SELECT 1 FROM corpus_facet f WHERE f.collection_id = NEW.collection_id "
    "AND f.id <> NEW.id AND (f.key = '') <> (NEW.key = ''))"
)


class Migration(migrations.Migration):
    dependencies = [("corpus", "0002_natural_order")]

    operations = [
        migrations.AlterField(
            model_name="facet",
            name="key",
            field=models.SlugField(blank=True, max_length=30),
        ),
        reject(
            "facet_whole_stands_alone",
            table="corpus_facet",
            event="INSERT",
            # On SQLite, a new row has no id before it is inserted.
            when=BESIDE_ANOTHER.replace("AND f.id <> NEW.id ", ""),
        ),
        reject(
            "facet_whole_stays_alone",
            table="corpus_facet",
            event="UPDATE",
            columns="collection_id, key",
            when=BESIDE_ANOTHER,
        ),
        reject(
            "facet_whole_begins_without_labels",
            table="corpus_facet",
            event="INSERT",
            when="NEW.key = '' AND NEW.labels <> '[]'",
        ),
        reject(
            "facet_whole_stays_without_labels",
            table="corpus_facet",
            event="UPDATE",
            columns="key, labels",
            when="NEW.key = '' AND NEW.labels <> '[]'",
        ),
    ]
