"""A published version does not change, but for who may see it."""

from django.db import migrations

from web.triggers import Reject


class Migration(migrations.Migration):
    dependencies = [("release", "0001_initial")]
    operations = [
        Reject(
            "release_release_no_update",
            table="release_release",
            event="UPDATE",
            columns="id, collection_id, version, file, sha256, size, manifest, published_at, published_by_id",
        ),
        Reject("release_release_no_delete", table="release_release", event="DELETE"),
    ]
