"""Proposed grades: their columns, and the triggers of `annotation/rules/proposals.py`."""

from django.conf import settings
from django.db import migrations, models

from annotation.rules.proposals import PROPOSALS


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0002_rules"),
        ("corpus", "0002_rules"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="judgment",
            name="details_alike",
            field=models.BooleanField(
                blank=True,
                help_text="Whether the details of the marked steps agree, too; NULL if it was not "
                "asked.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="judgment",
            name="proposed_grade",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="The grade that the marked steps suggest, shown after it was saved.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="opening",
            name="proposal_block",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="1, 2, … within the facet: the two queries of a block drew lots for the "
                "proposals. NULL if no lot was drawn.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="opening",
            name="proposal_steps",
            field=models.PositiveSmallIntegerField(
                blank=True,
                help_text="The number of named steps from which a grade is proposed, or NULL.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="repeatjudgment",
            name="details_alike",
            field=models.BooleanField(blank=True, help_text="As that of a judgment.", null=True),
        ),
        migrations.AddField(
            model_name="repeatjudgment",
            name="proposed_grade",
            field=models.PositiveSmallIntegerField(
                blank=True, help_text="As that of a judgment.", null=True
            ),
        ),
        migrations.AddConstraint(
            model_name="judgment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("details_alike", None), ("proposed_grade", None)),
                    models.Q(
                        models.Q(
                            ("proposed_grade", None),
                            models.Q(
                                ("grade__gt", 0),
                                ("grade__isnull", False),
                                ("proposed_grade__lte", 4),
                            ),
                            _connector="OR",
                        ),
                        models.Q(
                            ("details_alike", False),
                            models.Q(
                                models.Q(("aspects", []), _negated=True), ("details_alike", True)
                            ),
                            _connector="OR",
                        ),
                        ("aspects__isnull", False),
                        ("details_alike__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="judgment_proposal_with_steps",
            ),
        ),
        migrations.AddConstraint(
            model_name="opening",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("proposal_steps", None), ("proposal_steps__gte", 2), _connector="OR"
                ),
                name="opening_proposal_has_two_steps",
            ),
        ),
        migrations.AddConstraint(
            model_name="repeatjudgment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("details_alike", None), ("proposed_grade", None)),
                    models.Q(
                        models.Q(
                            ("proposed_grade", None),
                            models.Q(
                                ("grade__gt", 0),
                                ("grade__isnull", False),
                                ("proposed_grade__lte", 4),
                            ),
                            _connector="OR",
                        ),
                        models.Q(
                            ("details_alike", False),
                            models.Q(
                                models.Q(("aspects", []), _negated=True), ("details_alike", True)
                            ),
                            _connector="OR",
                        ),
                        ("aspects__isnull", False),
                        ("details_alike__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="repeat_judgment_proposal_with_steps",
            ),
        ),
        *PROPOSALS,
    ]
