"""A frozen set of pools does not change: neither its row, nor its pools, their candidates and who ranks them."""

from django.db import migrations

from web.triggers import Reject

SET = "EXISTS (SELECT 1 FROM pooling_poolset s WHERE s.id = {row}.pool_set_id AND s.frozen_at IS NOT NULL)"
POOL = (
    "EXISTS (SELECT 1 FROM pooling_pool p JOIN pooling_poolset s ON s.id = p.pool_set_id "
    "WHERE p.id = {row}.pool_id AND s.frozen_at IS NOT NULL)"
)
CANDIDATE = (
    "EXISTS (SELECT 1 FROM pooling_candidate c JOIN pooling_pool p ON p.id = c.pool_id "
    "JOIN pooling_poolset s ON s.id = p.pool_set_id WHERE c.id = {row}.candidate_id AND s.frozen_at IS NOT NULL)"
)


class Migration(migrations.Migration):
    dependencies = [("pooling", "0001_initial")]
    operations = [
        Reject("frozen_stays_frozen", table="pooling_poolset", event="UPDATE", when="OLD.frozen_at IS NOT NULL"),
        Reject("frozen_set_kept", table="pooling_poolset", event="DELETE", when="OLD.frozen_at IS NOT NULL"),
        *(
            Reject(
                f"frozen_{table}_no_{event.lower()}",
                table=f"pooling_{table}",
                event=event,
                when=" OR ".join(frozen.format(row=row) for row in rows),
            )
            for table, frozen in (("pool", SET), ("candidate", POOL), ("contribution", CANDIDATE))
            for event, rows in (("INSERT", ["NEW"]), ("UPDATE", ["OLD", "NEW"]), ("DELETE", ["OLD"]))
        ),
    ]
