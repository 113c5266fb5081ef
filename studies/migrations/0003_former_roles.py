"""A person who was ever an admin or adjudicator of the collection rates no full texts in it."""

from django.db import migrations

from database.triggers import reject

SAW_GRADES = "g.role IN ('admin', 'adjudicator')"


class Migration(migrations.Migration):
    dependencies = [("studies", "0002_rules"), ("accounts", "0008_given_roles")]

    operations = [
        reject(
            "study_rater_saw_no_grades",
            table="studies_study",
            event="INSERT",
            when=(
                "EXISTS (SELECT 1 FROM accounts_givenrole g WHERE g.user_id = NEW.rater_id "
                f"AND g.collection_id = NEW.collection_id AND {SAW_GRADES})"
            ),
        ),
        reject(
            "study_rating_rater_saw_no_grades",
            table="studies_studyrating",
            event="INSERT",
            when=(
                "EXISTS (SELECT 1 FROM studies_studypair t "
                "JOIN studies_study s ON s.id = t.study_id "
                "JOIN accounts_givenrole g ON g.user_id = s.rater_id "
                "AND g.collection_id = s.collection_id "
                f"WHERE t.id = NEW.study_pair_id AND {SAW_GRADES})"
            ),
        ),
    ]
