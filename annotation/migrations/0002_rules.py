"""What must hold against any code: judgments and published labels are appended, a pair keeps its two slots and their judges."""

from django.db import migrations

from web.triggers import Reject, append_only


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]
    operations = [
        *append_only("annotation_judgment"),
        *append_only("annotation_qrels"),
        *append_only("annotation_publishedlabel"),
        Reject(
            "two_slots_a_pair",
            table="annotation_slot",
            event="INSERT",
            when="NEW.number NOT IN (1, 2) "
            "AND EXISTS (SELECT 1 FROM annotation_pair p WHERE p.id = NEW.pair_id AND p.counts)",
        ),
        Reject("slot_stays_in_place", table="annotation_slot", event="UPDATE", columns="pair_id, number"),
        Reject("counts_for_good", table="annotation_pair", event="UPDATE", columns="counts"),
        Reject("slot_kept", table="annotation_slot", event="DELETE"),
        Reject(
            "judge_of_a_judged_slot_kept",
            table="annotation_slot",
            event="UPDATE",
            columns="judge_id",
            when="OLD.judgment_id IS NOT NULL",
        ),
        Reject(
            "judgment_by_its_judge",
            table="annotation_judgment",
            event="INSERT",
            when="NOT EXISTS (SELECT 1 FROM annotation_slot s WHERE s.id = NEW.slot_id AND s.judge_id = NEW.judge_id)",
        ),
        Reject(
            "judgment_of_an_open_query",
            table="annotation_judgment",
            event="INSERT",
            when="EXISTS (SELECT 1 FROM annotation_slot s JOIN annotation_pair p ON p.id = s.pair_id "
            "JOIN annotation_opening o ON o.id = p.opening_id WHERE s.id = NEW.slot_id AND o.closed_at IS NOT NULL)",
        ),
    ]
