from typing import Any

from django.core.management.base import BaseCommand

from jobs import services


class Command(BaseCommand):
    help = "One round of what every worker does beside its jobs: send again what was dropped."

    def handle(self, *args: Any, **options: Any) -> None:
        sent = services.reconcile()
        self.stdout.write(f"{sent} {'job' if sent == 1 else 'jobs'} sent again")
