from typing import Any

from accounts.commands import ProjectCommand
from jobs import services
from jobs.models import Job
from web.words import count_noun


class Command(ProjectCommand):
    help = "Send lost jobs to a worker again. Every worker does this regularly."
    stage = "Settings"
    takes_collection = False
    plans = True

    def handle(self, *args: Any, **options: Any) -> None:
        Job.objects.exists()  # Without tables, this fails before each due check logs its traceback.
        if options["dry_run"]:
            count = Job.objects.to_send().count()
            self.stdout.write(f"{count_noun(count, 'job')} would be sent again")
            return
        count = services.reconcile()
        self.stdout.write(f"{count_noun(count, 'job')} sent again")
