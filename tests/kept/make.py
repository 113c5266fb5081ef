"""Write the set of this version: `python -m tests.kept.make`. The same code writes the same bytes.

`database.sql.gz` is a SQLite database as SQL, and `SLUG-VERSION.zip.gz` a release in it. They hold
every kind of row: open, judged and decided pairs, reports, scores, errata. `rules.sql.gz` has the
triggers and indexes that the migrations make on PostgreSQL.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import sqlite3
import sys
import tempfile
import tomllib
import uuid
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = Path(__file__).resolve().parent / "versions"
DATABASE, RULES = "database.sql.gz", "rules.sql.gz"
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def version() -> str:
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])


@contextmanager
def fixed_time_and_chance() -> Iterator[None]:
    """Every look at the clock is a second later, and every random choice is that of a seed.

    It must begin before Django loads the models, because their fields keep these functions.
    """
    seconds, chance = count(), random.Random("kept")

    def now() -> datetime:
        return BEGIN + timedelta(seconds=next(seconds))

    def hexadecimal(nbytes: int | None = None) -> str:
        return chance.randbytes(nbytes or 32).hex()

    with (
        patch("django.utils.timezone.now", now),
        patch("uuid.uuid4", lambda: uuid.UUID(bytes=chance.randbytes(16), version=4)),
        patch("secrets.choice", chance.choice),
        patch("secrets.token_hex", hexadecimal),
        patch("secrets.token_urlsafe", hexadecimal),
    ):
        yield


def write_set(folder: Path, data_dir: Path) -> None:
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection
    from django.test import override_settings

    call_command("migrate", verbosity=0)
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        make_rows(data_dir)
    connection.close()
    with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"])) as database:
        pack_set(folder, database)


def pack_set(folder: Path, database: sqlite3.Connection) -> None:
    """Write the files of the set: of this database, its migrations and the releases."""
    from django.conf import settings

    folder.mkdir(parents=True, exist_ok=True)
    _pack("".join(f"{line}\n" for line in database.iterdump()).encode(), folder / DATABASE)
    migrations = database.execute("SELECT app, name FROM django_migrations")
    _pack(rules_on_postgresql(migrations.fetchall()).encode(), folder / RULES)
    for path in sorted(Path(settings.RELEASE_DIR).glob("*/*.zip")):
        _pack(path.read_bytes(), folder / f"{path.parent.name}-{path.name}.gz")


def rules_on_postgresql(migrations: Iterable[tuple[str, str]]) -> str:
    """The statements of the rules of these migrations, which need no server."""
    from django.db.migrations.loader import MigrationLoader

    from database.triggers import Rule

    editor = Mock(connection=Mock(vendor="postgresql"))
    disk = MigrationLoader(None).disk_migrations
    for operation in (
        operation for key in sorted(migrations) for operation in disk[key].operations
    ):
        if isinstance(operation, Rule):
            operation.create(editor)
    return "".join(f"{call.args[0]};\n" for call in editor.execute.call_args_list)


def _pack(content: bytes, path: Path) -> None:
    path.write_bytes(gzip.compress(content, mtime=0))


def _make_later_round() -> None:
    """A collection with a second pool round, and with published labels."""
    from scoring.models import PublishedLabels, PublishedLabelSet
    from tests.support.rounds import a_frozen_collection, a_round, late

    collection = a_frozen_collection("rounds")
    late(collection, "late", ["d06", "d07"])
    a_round(collection, "late")
    PublishedLabelSet.objects.create(
        collection=collection, benchmark="mdcr", origin="citations", files={}
    )
    for query in collection.queries.all():
        PublishedLabels.objects.create(query=query, grades={"d01": 1})


def make_rows(folder: Path) -> None:
    """Six collections. Two have a release, and one is imported from a release."""
    from accounts.models import User
    from annotation.models import Pair
    from release.files import path_of
    from release.importing.service import import_release
    from release.services import publish_release
    from tests.support.every_kind import a_collection_of_every_kind
    from tests.support.pooling_scenes import a_listed_collection, built
    from tests.support.releases import EVERY_EXCEPTION
    from tests.support.sittings import ask, keep, refer, settle

    _make_world()
    built(a_listed_collection("pools"))
    _make_later_round()
    collection = a_collection_of_every_kind(folder)
    agreed = Pair.objects.of(collection).judged().filter(first_grade=2, second_grade=2)
    again = agreed.order_by("query__name", "candidate__document__docno")[0]
    refer(again, "adjudicator")
    first, second = again.slots.order_by("number")
    adjudicator = User.objects.get(username="adju")
    ask(first, adjudicator)
    for slot in (first, second):
        keep(slot)
    settle(first, adjudicator, 3)
    publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION)
    import_release(path=path_of(collection.slug, "1.0"), slug="imported")


def _make_world() -> None:
    """Runs, scores, samples, a study, a pilot, an erratum; pairs of each kind, and a draft."""
    from django.db import transaction

    from accounts.invitations.addresses import Invitee
    from accounts.invitations.services import store_invitation
    from accounts.models import Role, User
    from accounts.tokens.scopes import TokenScope
    from accounts.tokens.services import create_token
    from annotation.consent.services import agree, write_consent_text
    from annotation.services import open_query
    from corpus.services import create_query
    from evaluation.error_browser.services import tag_error
    from release.datasheets.models import DEFAULT_LEAST, VALUES, ProfileThreshold
    from release.datasheets.services import save_profile
    from release.publicity import make_public
    from tests.support.api_world import a_world
    from tests.support.factories import DocumentFactory, a_pool, a_query, annotators
    from tests.support.label_samples import a_row_of_a_sample
    from tests.support.labels import predicted
    from tests.support.practice_scenes import a_pilot, practise

    world = a_world("world")
    collection, annotator = world.collection, User.objects.get(username="ann1")
    create_token(person=annotator, name="Program", scope=TokenScope.JUDGE, days=90)
    with transaction.atomic():
        store_invitation(collection, Invitee("mara@example.org", "Mara"), Role.CURATOR, None)
    make_public(release=world.release, person=None)
    a_row_of_a_sample(collection)
    slot = world.slots()[0]
    tag_error(system=world.system, pair=slot.pair, error_type="other task", tagged_by=None)
    profile = {key: min(set(values) - {""}) for key, values in VALUES.items()}
    save_profile(collection=collection, person=annotator, values=profile)
    ProfileThreshold.objects.create(collection=collection, least_people=DEFAULT_LEAST + 1)
    draft = a_query(collection)  # pooled, not open
    predicted(draft.query_paper.document)
    draft.query_paper.exclusions.create(annotator=annotator)
    pilot = a_pilot(collection, named=[a_query(collection).name])
    practise(pilot.pairs.first(), annotator)
    twins = DocumentFactory.create_batch(2, collection=collection, title="Twin", sentences=["A."])
    paper = DocumentFactory(collection=collection)
    odd = create_query(collection=collection, docno=paper.docno, facet_key="method")
    pool = a_pool(odd.query_paper, twins)
    for candidate in pool.candidates.all():
        candidate.contributions.all().delete()
    open_query(query=odd, annotators=annotators(collection), opened_by=None)
    _ask_admin(slot)
    _make_notices(collection, annotator)
    agree(
        collection=collection,
        person=annotator,
        version=write_consent_text(
            collection=collection, text="We store your grades.", written_by=None
        ),
    )


def _make_notices(collection: Any, annotator: Any) -> None:
    """Dates for all and for one annotator, and a person who has chosen mails and got one."""
    from django.utils import timezone

    from annotation.models import Deadline
    from notices.choices import change_choice
    from notices.models import NoticeMail

    now = timezone.now()
    for person in (None, annotator):
        Deadline.objects.create(collection=collection, annotator=person, due_on=now.date())
    change_choice(user=annotator, frequency="daily")
    NoticeMail.objects.create(
        user=annotator, day=now.date(), period=str(now.date()), state="sent", sent_at=now
    )


def _ask_admin(slot: Any) -> None:
    """A question of a judge with an answer, which is read and an example of the guideline."""
    from accounts.models import User
    from annotation.help_requests.services import mark_read, write_example
    from annotation.models import HelpRequest
    from tests.support.help_scenes import answer, ask_admin

    request = answer(ask_admin(slot, on_guideline=True), for_all=True)
    collection = slot.pair.query.collection
    mark_read(collection=collection, reader=slot.annotator, requests=HelpRequest.objects.all())
    guideline = request.facet.guidelines.first()
    write_example(
        request=request,
        written_by=User.objects.get(username="admin"),
        instructions=f"{guideline.instructions}\n\nA survey is no method.",
        grades=[dict(grade) for grade in guideline.grades],
        based_on=guideline.version,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=VERSIONS / version())
    folder = parser.parse_args().folder
    if folder.exists():
        parser.error(f"{folder} exists. The set of a published version is never made again.")
    os.environ.pop("DATABASE_URL", None)
    with tempfile.TemporaryDirectory() as data_dir, fixed_time_and_chance():
        os.environ |= {"DATA_DIR": data_dir, "DJANGO_SETTINGS_MODULE": "config.settings"}
        write_set(folder, Path(data_dir))
    for path in sorted(folder.iterdir()):
        sys.stdout.write(f"{path}: {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
