"""The tables of mails, and the triggers of `notices/rules.py`."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from notices.rules import RULES


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0008_languages'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='MailChoice',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='mail_choice', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('frequency', models.CharField(choices=[('never', 'Never'), ('daily', 'Once a day'), ('weekly', 'Once a week')], default='weekly', max_length=8)),
                ('cases', models.BooleanField(default=True)),
                ('pairs', models.BooleanField(default=True)),
                ('answers', models.BooleanField(default=False)),
                ('questions', models.BooleanField(default=True)),
                ('failed_jobs', models.BooleanField(default=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('frequency__in', ['never', 'daily', 'weekly'])), name='mail_choice_frequency_known')],
            },
        ),
        migrations.CreateModel(
            name='NoticeMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('period', models.CharField(blank=True, default='', max_length=10)),
                ('state', models.CharField(choices=[('nothing', 'Nothing waited'), ('waiting', 'Waits to be sent'), ('sending', 'Being sent'), ('sent', 'Sent'), ('dropped', 'No longer needed')], max_length=8)),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('next_try_at', models.DateTimeField(blank=True, null=True)),
                ('claimed_at', models.DateTimeField(blank=True, null=True)),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='notice_mails', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['next_try_at'], name='notice_mail_waiting'), models.Index(fields=['day'], name='notice_mail_by_day')],
                'constraints': [models.UniqueConstraint(fields=('user', 'day'), name='notice_mail_once_a_day'), models.UniqueConstraint(condition=models.Q(('period', ''), _negated=True), fields=('user', 'period'), name='notice_mail_once_a_period'), models.CheckConstraint(condition=models.Q(('state__in', ['nothing', 'waiting', 'sending', 'sent', 'dropped'])), name='notice_mail_state_known'), models.CheckConstraint(condition=models.Q(models.Q(('period', ''), ('state', 'nothing')), models.Q(models.Q(('state', 'nothing'), _negated=True), models.Q(('period', ''), _negated=True)), _connector='OR'), name='notice_mail_has_period'), models.CheckConstraint(condition=models.Q(models.Q(('sent_at__isnull', False), ('state', 'sent')), models.Q(models.Q(('state', 'sent'), _negated=True), ('sent_at', None)), _connector='OR'), name='notice_mail_sent_has_time'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'waiting'), _negated=True), ('next_try_at__isnull', False), _connector='OR'), name='notice_mail_waiting_has_time')],
            },
        ),
        *RULES,
    ]
