"""Who accepted an exception and why, and what keeps the checks of the gate quick."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from database.triggers import keep, reject

# Candidates to judge of the pool of a query, whose text is in that pool more than once.
DUPLICATES = (
    "INSERT INTO release_duplicatecandidate (candidate_id) "
    "SELECT DISTINCT f.id FROM ("
    "SELECT c.id, COUNT(*) OVER (PARTITION BY q.id, d.digest) AS copies FROM {openings} "
    "JOIN corpus_query q ON q.id = {query} "
    "JOIN pooling_pool p ON p.query_paper_id = q.query_paper_id "
    "JOIN pooling_candidate c ON c.pool_id = p.id AND c.excluded = '' "
    "JOIN corpus_document d ON d.id = c.document_id) f "
    "WHERE f.copies > 1 "
    "AND NOT EXISTS (SELECT 1 FROM release_duplicatecandidate x WHERE x.candidate_id = f.id)"
)
QUERY_OF = "(SELECT p.query_id FROM annotation_pair p WHERE p.id = NEW.pair_id)"
# Whether the row's judgment and that in the other slot give the same, relevant grade. Each value is
# looked up by a key: as one join, PostgreSQL read whole tables while they had no statistics.
GRADE = "(SELECT this.grade FROM annotation_judgment this WHERE this.id = {row}.judgment_id)"
RELEVANT = (
    "CASE WHEN {row}.judgment_id IS NULL THEN 0 "
    f"WHEN {GRADE} = (SELECT other.grade FROM annotation_slot o "
    "JOIN annotation_judgment other ON other.id = o.judgment_id "
    "WHERE o.pair_id = {row}.pair_id AND o.number <> {row}.number) "
    f"AND {GRADE} >= (SELECT c.relevant_from FROM annotation_pair p "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_collection c ON c.id = q.collection_id "
    "WHERE p.id = {row}.pair_id) THEN 1 ELSE 0 END"
)
CHANGE = f"({RELEVANT.format(row='NEW')}) - ({RELEVANT.format(row='OLD')})"
COUNT_ALL = (
    "INSERT INTO release_relevantcount (query_id, agreed) "
    "SELECT q.id, COUNT(*) FROM annotation_slot a "
    "JOIN annotation_slot b ON b.pair_id = a.pair_id AND b.number = 2 "
    "JOIN annotation_judgment one ON one.id = a.judgment_id "
    "JOIN annotation_judgment two ON two.id = b.judgment_id "
    "JOIN annotation_pair p ON p.id = a.pair_id "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_collection c ON c.id = q.collection_id "
    "WHERE a.number = 1 AND one.grade = two.grade AND one.grade >= c.relevant_from GROUP BY q.id"
)
COLLECTION = "SELECT r.collection_id FROM release_release r WHERE r.id = OLD.release_id"


class Migration(migrations.Migration):
    dependencies = [
        ("release", "0006_datasheets"),
        ("annotation", "0003_counts"),
        ("accounts", "0004_archive"),
        ("corpus", "0001_initial"),
        ("pooling", "0002_rules"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ReleaseException",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("check_name", models.CharField(max_length=40)),
                ("reason", models.CharField(max_length=500)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        blank=True,
                        help_text="Null for a version that was published by a command.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="exceptions",
                        to="release.release",
                    ),
                ),
            ],
            options={
                "ordering": ["release", "check_name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("release", "check_name"), name="release_exception_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="release_exception_has_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DuplicateCandidate",
            fields=[
                (
                    "candidate",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="duplicate",
                        serialize=False,
                        to="pooling.candidate",
                    ),
                )
            ],
        ),
        migrations.CreateModel(
            name="RelevantCount",
            fields=[
                (
                    "query",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="relevant_count",
                        serialize=False,
                        to="corpus.query",
                    ),
                ),
                ("agreed", models.IntegerField()),
            ],
        ),
        reject("release_exception_never_edited", table="release_releaseexception", event="UPDATE"),
        reject(
            "release_exception_never_deleted",
            table="release_releaseexception",
            event="DELETE",
            when=(
                f"NOT EXISTS (SELECT 1 FROM accounts_collection c WHERE c.id = ({COLLECTION}) "
                "AND c.deletion_began_at IS NOT NULL)"
            ),
        ),
        migrations.RunSQL(
            DUPLICATES.format(openings="annotation_opening n", query="n.query_id"),
            migrations.RunSQL.noop,
        ),
        migrations.RunSQL(COUNT_ALL, migrations.RunSQL.noop),
        keep(
            "mark_duplicate_candidates",
            table="annotation_opening",
            event="INSERT",
            statements=[DUPLICATES.format(openings="(SELECT 1) n", query="NEW.query_id")],
        ),
        # PostgreSQL runs it after `count_2_pair_judged`, which locks the counts of the query.
        keep(
            "count_4_relevant_pair",
            table="annotation_slot",
            event="UPDATE",
            columns="judgment_id",
            when="NEW.judgment_id IS NOT OLD.judgment_id",
            statements=[
                "INSERT INTO release_relevantcount (query_id, agreed) "
                f"SELECT {QUERY_OF}, changed.by FROM (SELECT {CHANGE} AS by) changed "
                "WHERE changed.by <> 0 ON CONFLICT (query_id) DO UPDATE SET "
                "agreed = release_relevantcount.agreed + excluded.agreed"
            ],
        ),
    ]
