"""The network of each report. It bounds reports, and admins decline those of a network at once."""

from django.db import migrations, models

from database.triggers import Rule, dropped, reject

TABLE = "release_erratum"
REPORT = "release_id, number, query, docno, problem, email, reported_at, reported_by_id"


def _keeps(columns: str) -> Rule:
    return reject("erratum_keeps_its_report", table=TABLE, event="UPDATE", columns=columns)


class Migration(migrations.Migration):
    dependencies = [("release", "0009_release_imports")]

    operations = [
        migrations.AddField(
            model_name="erratum",
            name="network",
            field=models.CharField(
                blank=True,
                help_text="A keyed digest of the reader's network. Empty for a report of an admin.",
                max_length=12,
            ),
        ),
        migrations.AddIndex(
            model_name="erratum",
            index=models.Index(
                condition=models.Q(("state", "open")),
                fields=["release", "network"],
                name="erratum_of_network",
            ),
        ),
        migrations.AddIndex(
            model_name="erratum",
            index=models.Index(
                condition=models.Q(("state", "open")),
                fields=["release", "query", "docno"],
                name="erratum_of_query",
            ),
        ),
        dropped(_keeps(REPORT)),
        _keeps(f"{REPORT}, network"),
    ]
