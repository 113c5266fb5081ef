"""A frozen pool does not change."""

from django.db import migrations

from web.triggers import Reject

FROZEN = (
    "EXISTS (SELECT 1 FROM pooling_pool p JOIN pooling_poolset s ON s.id = p.pool_set_id "
    "WHERE p.id = {row}.pool_id AND s.frozen_at IS NOT NULL)"
)


class Migration(migrations.Migration):
    dependencies = [("pooling", "0001_initial")]
    operations = [
        Reject("frozen_pool_no_insert", table="pooling_candidate", event="INSERT", when=FROZEN.format(row="NEW")),
        Reject("frozen_pool_no_update", table="pooling_candidate", event="UPDATE", when=FROZEN.format(row="OLD")),
        Reject("frozen_pool_no_delete", table="pooling_candidate", event="DELETE", when=FROZEN.format(row="OLD")),
        Reject("frozen_stays_frozen", table="pooling_poolset", event="UPDATE", when="OLD.frozen_at IS NOT NULL"),
        Reject("frozen_set_kept", table="pooling_poolset", event="DELETE", when="OLD.frozen_at IS NOT NULL"),
    ]
