"""Pairs that an admin sends to the adjudicator, or opens for two judges again."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from database.triggers import Rule, dropped, keep, reject

REFERRAL = "adjudication_referral"
QUERY_OF = "(SELECT p.query_id FROM annotation_pair p WHERE p.id = {row}.pair_id)"
NOT_SHOWN = (
    "NOT EXISTS (SELECT 1 FROM annotation_slot s WHERE s.pair_id = NEW.pair_id "
    "AND s.number = {number} AND s.judgment_id = NEW.{side}_id)"
)
SIDES = (("first", 1), ("second", 2))
NOT_BEING_DELETED = (
    "NOT EXISTS (SELECT 1 FROM annotation_pair p JOIN corpus_query q ON q.id = p.query_id "
    "JOIN accounts_collection c ON c.id = q.collection_id "
    "WHERE p.id = OLD.pair_id AND c.deletion_began_at IS NOT NULL)"
)
REFERRALS = [
    reject("referral_never_edited", table=REFERRAL, event="UPDATE"),
    reject("referral_never_deleted", table=REFERRAL, event="DELETE", when=NOT_BEING_DELETED),
    reject(
        "referral_of_standing_judgments",
        table=REFERRAL,
        event="INSERT",
        when=" OR ".join(NOT_SHOWN.format(side=side, number=number) for side, number in SIDES),
    ),
    keep(
        "mark_pair_for_the_adjudicator",
        table=REFERRAL,
        event="INSERT",
        statements=[
            "UPDATE annotation_pair SET referral_count = referral_count + 1 "
            "WHERE id = NEW.pair_id AND NEW.recipient = 'adjudicator'"
        ],
    ),
    keep(
        "mark_slots_empty_for_two_judges",
        table=REFERRAL,
        event="INSERT",
        statements=[
            "UPDATE annotation_slot SET judgment_id = NULL, postponed_at = NULL "
            "WHERE pair_id = NEW.pair_id AND NEW.recipient = 'judges'",
            "UPDATE annotation_pair SET referral_count = 0 "
            "WHERE id = NEW.pair_id AND NEW.recipient = 'judges' AND referral_count > 0",
        ],
    ),
]

# What annotation/migrations/0002_rules.py has, but for a pair that is opened again.
ANOTHER_SLOTS = "NEW.id <> (SELECT slot_id FROM annotation_judgment WHERE id = NEW.judgment_id)"
EMPTIED = "OLD.judgment_id IS NOT NULL AND NEW.judgment_id IS NULL"
NOT_OPENED_AGAIN = (
    "NOT EXISTS (SELECT 1 FROM adjudication_referral r WHERE r.pair_id = OLD.pair_id "
    "AND r.recipient = 'judges' AND OLD.judgment_id IN (r.first_id, r.second_id))"
)


def shows_its_own_judgment(emptied: str) -> Rule:
    return reject(
        "slot_shows_its_own_judgment",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when=f"({emptied}) OR {ANOTHER_SLOTS}",
    )


OTHER_JUDGE = (
    "EXISTS (SELECT 1 FROM annotation_judgment j JOIN annotation_slot o ON o.id = j.slot_id "
    "WHERE o.pair_id = NEW.pair_id AND o.id <> NEW.id AND j.annotator_id = NEW.annotator_id)"
)
DECIDED = (
    "EXISTS (SELECT 1 FROM adjudication_decision d "
    "WHERE d.pair_id = NEW.pair_id AND d.adjudicator_id = NEW.annotator_id)"
)
SLOTS = [
    dropped(shows_its_own_judgment(EMPTIED)),
    shows_its_own_judgment(f"{EMPTIED} AND {NOT_OPENED_AGAIN}"),
    reject(
        "slot_shows_no_judgment_again",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when=(
            "EXISTS (SELECT 1 FROM adjudication_referral r WHERE r.pair_id = NEW.pair_id "
            "AND r.recipient = 'judges' AND NEW.judgment_id IN (r.first_id, r.second_id))"
        ),
    ),
    # Only a pair that was opened again has judgments or decisions of people without a slot in it.
    reject(
        "slot_of_a_new_judge",
        table="annotation_slot",
        event="UPDATE",
        columns="annotator_id",
        when=f"NEW.annotator_id <> OLD.annotator_id AND ({OTHER_JUDGE} OR {DECIDED})",
    ),
]

JUDGES_SLOT = (
    "EXISTS (SELECT 1 FROM annotation_slot s "
    "WHERE s.pair_id = NEW.pair_id AND s.annotator_id = NEW.adjudicator_id)"
)
JUDGED_BEFORE = (
    "EXISTS (SELECT 1 FROM annotation_slot s JOIN annotation_judgment j ON j.slot_id = s.id "
    "WHERE s.pair_id = NEW.pair_id AND j.annotator_id = NEW.adjudicator_id)"
)


def not_by_a_judge(when: str) -> Rule:
    return reject(
        "decision_not_by_a_judge", table="adjudication_decision", event="INSERT", when=when
    )


DECISIONS = [
    dropped(not_by_a_judge(JUDGES_SLOT)),
    not_by_a_judge(f"{JUDGES_SLOT} OR {JUDGED_BEFORE}"),
    reject(
        "decision_after_the_last_referral",
        table="adjudication_decision",
        event="INSERT",
        when=(
            "NEW.referral_count <> "
            "(SELECT p.referral_count FROM annotation_pair p WHERE p.id = NEW.pair_id)"
        ),
    ),
]

DIFFER = "one.grade IS NULL OR two.grade IS NULL OR one.grade <> two.grade"
# A decision on the judgments that both slots of its pair show, which differ or lack a grade.
SETTLED = (
    "SELECT 1 FROM adjudication_decision d "
    "JOIN annotation_slot a ON a.pair_id = d.pair_id AND a.number = 1 "
    "AND a.judgment_id = d.first_id "
    "JOIN annotation_slot b ON b.pair_id = d.pair_id AND b.number = 2 "
    "AND b.judgment_id = d.second_id "
    "JOIN annotation_judgment one ON one.id = d.first_id "
    "JOIN annotation_judgment two ON two.id = d.second_id "
    "WHERE ({case})"
)
DIFFERING = SETTLED.format(case=DIFFER)
# The same, or one on a pair that was sent to the adjudicator; made after the last time it was.
STANDING = (
    SETTLED.format(case=f"{DIFFER} OR d.referral_count > 0")
    + " AND d.referral_count = {referral_count}"
)
PAIRS = "(SELECT p.referral_count FROM annotation_pair p WHERE p.id = d.pair_id)"


def count_decided(settled: str) -> Rule:
    return keep(
        "count_3_case_decided",
        table="adjudication_decision",
        event="INSERT",
        statements=[
            "INSERT INTO adjudication_casecount (query_id, settled, decisions) "
            f"SELECT {QUERY_OF.format(row='NEW')}, CASE WHEN EXISTS ({settled} AND d.id = NEW.id) "
            f"AND NOT EXISTS ({settled} AND d.pair_id = NEW.pair_id AND d.id <> NEW.id) "
            "THEN 1 ELSE 0 END, 1 WHERE TRUE ON CONFLICT (query_id) DO UPDATE SET "
            "settled = adjudication_casecount.settled + excluded.settled, "
            "decisions = adjudication_casecount.decisions + 1"
        ],
    )


def count_reopened(standing: str) -> Rule:
    return keep(
        "count_3_case_reopened",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when="NEW.judgment_id IS NOT OLD.judgment_id AND OLD.judgment_id IS NOT NULL",
        statements=[
            "UPDATE adjudication_casecount SET settled = settled - 1 "
            f"WHERE query_id = {QUERY_OF.format(row='OLD')} AND EXISTS "
            "(SELECT 1 FROM adjudication_decision d JOIN annotation_slot o "
            "ON o.pair_id = d.pair_id AND o.number <> OLD.number "
            "JOIN annotation_judgment this ON this.id = OLD.judgment_id "
            "JOIN annotation_judgment other ON other.id = o.judgment_id "
            "WHERE d.pair_id = OLD.pair_id AND OLD.judgment_id IN (d.first_id, d.second_id) "
            "AND o.judgment_id IN (d.first_id, d.second_id) AND (this.grade IS NULL "
            f"OR other.grade IS NULL OR this.grade <> other.grade{standing}))"
        ],
    )


def is_settled(row: str) -> str:
    """Whether the pair has a decision that stands while it was referred as often as `row` says."""
    standing = STANDING.format(referral_count=f"{row}.referral_count")
    return f"CASE WHEN EXISTS ({standing} AND d.pair_id = {row}.id) THEN 1 ELSE 0 END"


COUNTS = [
    dropped(count_decided(DIFFERING)),
    count_decided(STANDING.format(referral_count=PAIRS)),
    dropped(count_reopened("")),
    count_reopened(f" OR d.referral_count > 0) AND (d.referral_count = {PAIRS}"),
    keep(
        "count_3_pair_referred",
        table="annotation_pair",
        event="UPDATE",
        columns="referral_count",
        when="NEW.referral_count <> OLD.referral_count",
        statements=[
            "UPDATE adjudication_casecount "
            f"SET settled = settled + ({is_settled('NEW')}) - ({is_settled('OLD')}) "
            "WHERE query_id = NEW.query_id"
        ],
    ),
]

DIFFERENCE = (
    "CASE WHEN one.grade IS NULL OR two.grade IS NULL THEN 5 ELSE ABS(one.grade - two.grade) END"
)
# The case that the judgment of this slot makes with that of the other slot, if it is due.
DUE = (
    "FROM annotation_slot o JOIN annotation_judgment one ON one.id = {{row}}.judgment_id "
    "JOIN annotation_judgment two ON two.id = o.judgment_id "
    "WHERE o.pair_id = {{row}}.pair_id AND o.number <> {{row}}.number "
    "AND ({case}) AND NOT EXISTS (SELECT 1 FROM adjudication_decision d "
    "WHERE d.pair_id = o.pair_id "
    "AND d.first_id = CASE o.number WHEN 1 THEN two.id ELSE one.id END "
    "AND d.second_id = CASE o.number WHEN 1 THEN one.id ELSE two.id END{standing})"
)
OTHERS = "(SELECT p.referral_count FROM annotation_pair p WHERE p.id = o.pair_id)"
# The case of a pair, if it is due while the pair was referred as often as `row` says.
DUE_PAIR = (
    "FROM annotation_slot a JOIN annotation_slot b ON b.pair_id = a.pair_id AND b.number = 2 "
    "JOIN annotation_judgment one ON one.id = a.judgment_id "
    "JOIN annotation_judgment two ON two.id = b.judgment_id "
    f"WHERE a.pair_id = {{row}}.id AND a.number = 1 AND ({DIFFER} OR {{row}}.referral_count > 0) "
    "AND NOT EXISTS (SELECT 1 FROM adjudication_decision d WHERE d.pair_id = a.pair_id "
    "AND d.first_id = one.id AND d.second_id = two.id "
    "AND d.referral_count = {row}.referral_count)"
)
UNCOUNT = "UPDATE adjudication_duecount SET due = due - 1 WHERE query_id = "
ONE_MORE = "ON CONFLICT (query_id, difference) DO UPDATE SET due = adjudication_duecount.due + 1"


def count_due(due: str) -> Rule:
    return keep(
        "count_4_case_due",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when="NEW.judgment_id IS NOT OLD.judgment_id",
        statements=[
            f"{UNCOUNT}{QUERY_OF} AND difference = (SELECT {DIFFERENCE} {due})".format(row="OLD"),
            "INSERT INTO adjudication_duecount (query_id, difference, due) "
            f"SELECT {QUERY_OF}, {DIFFERENCE}, 1 {due} ".format(row="NEW")
            + ONE_MORE,
        ],
    )


def count_due_decided(settled: str) -> Rule:
    decided = settled.removeprefix("SELECT 1 ")
    return keep(
        "count_4_case_decided",
        table="adjudication_decision",
        event="INSERT",
        statements=[
            f"{UNCOUNT}{QUERY_OF.format(row='NEW')} "
            f"AND difference = (SELECT {DIFFERENCE} {decided} AND d.id = NEW.id) "
            f"AND NOT EXISTS (SELECT 1 {decided} AND d.pair_id = NEW.pair_id AND d.id <> NEW.id)"
        ],
    )


DUE_COUNTS = [
    dropped(count_due(DUE.format(case=DIFFER, standing=""))),
    count_due(
        DUE.format(case=f"{DIFFER} OR {OTHERS} > 0", standing=f" AND d.referral_count = {OTHERS}")
    ),
    dropped(count_due_decided(DIFFERING)),
    count_due_decided(STANDING.format(referral_count=PAIRS)),
    keep(
        "count_4_pair_due",
        table="annotation_pair",
        event="UPDATE",
        columns="referral_count",
        when="NEW.referral_count <> OLD.referral_count",
        statements=[
            f"{UNCOUNT}NEW.query_id AND difference = "
            f"(SELECT {DIFFERENCE} {DUE_PAIR.format(row='OLD')})",
            "INSERT INTO adjudication_duecount (query_id, difference, due) "
            f"SELECT NEW.query_id, {DIFFERENCE}, 1 {DUE_PAIR.format(row='NEW')} {ONE_MORE}",
        ],
    ),
]


class Migration(migrations.Migration):
    dependencies = [
        ("adjudication", "0007_due_counts"),
        ("accounts", "0004_archive"),
        ("annotation", "0012_referral_count"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="decision",
            name="referral_count",
            field=models.SmallIntegerField(
                db_default=0,
                default=0,
                help_text="The pair's when it was made. It stands for no other.",
            ),
        ),
        migrations.CreateModel(
            name="Referral",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "recipient",
                    models.CharField(
                        choices=[
                            ("adjudicator", "The adjudicator"),
                            ("judges", "Two judges, blind"),
                        ],
                        max_length=12,
                    ),
                ),
                (
                    "reason",
                    models.TextField(help_text="A changelog publishes it. No judge is shown it."),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "first",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.judgment",
                    ),
                ),
                (
                    "pair",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="referrals",
                        to="annotation.pair",
                    ),
                ),
                (
                    "referred_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "second",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="annotation.judgment",
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("recipient__in", ["adjudicator", "judges"])),
                        name="referral_recipient_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="referral_has_reason",
                    ),
                ],
            },
        ),
        *REFERRALS,
        *SLOTS,
        *DECISIONS,
        *COUNTS,
        *DUE_COUNTS,
    ]
