from typing import Any

from django.core.management.base import BaseCommand

from jobs import services
from jobs.models import Job
from web.words import count_noun


class Command(BaseCommand):
    help = "Send lost jobs to a worker again. Every worker does this regularly."

    def handle(self, *args: Any, **options: Any) -> None:
        Job.objects.exists()  # Without tables, this fails before each due check logs its traceback.
        count = services.reconcile()
        self.stdout.write(f"{count_noun(count, 'job')} sent again")
