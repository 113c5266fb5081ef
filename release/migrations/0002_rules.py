"""The triggers and indexes of `release/rules.py`."""

from django.db import migrations

from database.triggers import reject
from release.rules import ERRATUM, RELEASES, RULES

# As in 0.1.0: an email could not go. `0005_emptied_senders` replaces them.
ERRATUM_RULES_BEFORE = [
    reject(
        "erratum_keeps_its_report",
        table=ERRATUM,
        event="UPDATE",
        columns=(
            "release_id, number, query, docno, problem, email, reported_at, reported_by_id, network"
        ),
    ),
    reject("erratum_settled_once", table=ERRATUM, event="UPDATE", when="OLD.state <> 'open'"),
]


class Migration(migrations.Migration):
    dependencies = [("release", "0001_initial"), ("adjudication", "0002_rules")]

    # In the order of then: before the last rule about releases.
    operations = [*RELEASES[:-1], *ERRATUM_RULES_BEFORE, *RULES[len(RELEASES) - 1 :]]
