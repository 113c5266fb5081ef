"""Decisions and re-openings are appended, and nobody decides a pair that they judged."""

from django.db import migrations

from web.triggers import Reject, append_only


class Migration(migrations.Migration):
    dependencies = [("adjudication", "0001_initial")]
    operations = [
        *append_only("adjudication_decision"),
        *append_only("adjudication_reopening"),
        Reject(
            "nobody_decides_an_own_pair",
            table="adjudication_decision",
            event="INSERT",
            when="EXISTS (SELECT 1 FROM annotation_slot s "
            "WHERE s.pair_id = NEW.pair_id AND s.judge_id = NEW.adjudicator_id)",
        ),
    ]
