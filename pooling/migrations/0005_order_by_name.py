from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("pooling", "0004_last_plan"), ("corpus", "0005_query_paper_names")]

    operations = [
        migrations.AlterModelOptions(name="pool", options={"ordering": ["query_paper__name"]})
    ]
