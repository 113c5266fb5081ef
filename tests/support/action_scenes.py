"""What is recorded: each as a call of the service that does it, with the actions it records."""

from __future__ import annotations

import io
import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from allauth.mfa.models import Authenticator
from django.urls import resolve

from accounts.actions.kinds import ActionKind as Kind
from accounts.actions.models import RecordedAction
from accounts.institution.claims import Identity
from accounts.institution.configuration import OIDC, InstitutionLogin
from accounts.institution.services import link_identity, unlink_identity
from accounts.invitations.addresses import Invitee
from accounts.invitations.services import (
    accept_with_new_account,
    revoke,
    send_again,
    store_invitation,
)
from accounts.login.second_factors import remove_second_factors
from accounts.models import Collection, Role, User
from accounts.password_links import PasswordLink, choose_password, make_password_link
from accounts.personal_data.erasing import erase_person
from accounts.personal_data.exporting import export_person
from accounts.services import add_membership, change_password, create_person
from accounts.tokens.scopes import TokenScope
from accounts.tokens.services import create_token, revoke_token
from adjudication.judgment_import.context import ImportOptions
from adjudication.judgment_import.service import import_judgments
from adjudication.models import Recipient
from agreement.services import AgreementRule, change_rule
from annotation.guidelines.changes import apply_guideline
from annotation.guidelines.collection_setup import change_facets_and_scale
from annotation.models import Level, Opening
from annotation.qualifications.services import give_qualification, withdraw_qualification
from annotation.services import open_query, reassign_seat, write_guideline
from annotation.team.pool_rounds import open_new_pairs
from corpus.documents.import_options import DocumentImportOptions
from corpus.documents.importing import import_documents
from corpus.facets import DEFAULT_FACETS
from corpus.topics.importing import import_topics
from corpus.topics.queries import add_queries, add_query_list, remove_query
from dashboard.people.owners import end_judging
from dashboard.services import change_judging_rules, change_licences, change_roles
from dashboard.settings.archiving import (
    archive_collection,
    begin_deletion,
    unarchive_collection,
)
from dashboard.settings.deletion import delete_collection
from dashboard.settings.export import export_collection
from jobs.context import DirectRun
from pooling.services import freeze_pools
from release.errata.services import decline_errata, report_erratum, settle_erratum
from release.publicity import make_private, make_public
from release.services import publish_release
from tests.support.factories import (
    DocumentFactory,
    a_collection,
    a_query,
    an_open_query,
    annotators,
    member,
)
from tests.support.releases import EVERY_EXCEPTION
from tests.support.rounds import top_up
from tests.support.sittings import judge_both, refer

REASON = "Known from before."


class Scene(NamedTuple):
    """Rows for the deeds. Each deed is done on them as they are."""

    collection: Collection
    opening: Opening
    admin: User
    folder: Path


Deed = Callable[[Scene], object]


def a_scene(folder: Path) -> Scene:
    opening = an_open_query(a_collection(), size=3)
    judge_both(opening, (0, 3), (1, 1), (2, 2))
    admin = User.objects.get(username="admin")
    return Scene(opening.query.collection, opening, admin, folder)


def _accepted_invitation(scene: Scene) -> None:
    letter = store_invitation(
        scene.collection, Invitee("mara@example.org", ""), Role.CURATOR, scene.admin
    )
    accept_with_new_account(
        invitation=letter.invitation,
        username="mara",
        name="",
        password=secrets.token_urlsafe(16),
    )


def _ended_invitation(scene: Scene) -> None:
    letter = store_invitation(
        scene.collection, Invitee("mara@example.org", ""), Role.CURATOR, scene.admin
    )
    send_again(invitation=letter.invitation, base_url="https://q.example.org")
    revoke(invitation=letter.invitation)


def _new_passwords(scene: Scene) -> None:
    person = scene.collection.memberships.get(user__username="adju").user
    change_password(person=person, password="only for tests")
    path = make_password_link(collection=scene.collection, asked_by=scene.admin, person=person)
    values = resolve(path).kwargs
    link = PasswordLink(values["person_id"], values["made_by_id"], values["link_token"])
    choose_password(link=link, password="another of tests")


def _unlinked_identity(scene: Scene) -> None:
    login = InstitutionLogin(key=OIDC, name="University", source="https://idp.example.org")
    link = link_identity(person=scene.admin, login=login, identity=Identity("a key"))
    scene.admin.set_password("only for tests")
    scene.admin.save()
    unlink_identity(link=link)


def _revoked_token(scene: Scene) -> None:
    create_token(person=scene.admin, name="script", scope=TokenScope.READ, days=30)
    revoke_token(token=scene.admin.api_tokens.get())


def _removed_second_factors(scene: Scene) -> None:
    Authenticator.objects.create(user=scene.admin, type=Authenticator.Type.TOTP, data={})
    remove_second_factors(person=scene.admin)


def _erased(scene: Scene) -> None:
    curator = member(scene.collection, Role.CURATOR, "cura")
    export_person(person=curator, file=io.BytesIO(), for_the_person=True)
    erase_person(person=curator, typed="cura")


def _changed_roles(scene: Scene) -> None:
    person = member(scene.collection, Role.CURATOR, "cura")
    change_roles(collection=scene.collection, person=person, roles=[Role.ADJUDICATOR])


def _ended_judging(scene: Scene) -> None:
    owner = member(scene.collection, Role.OWNER_ANNOTATOR, "owner")
    end_judging(collection=scene.collection, person=owner)


def _link(scene: Scene) -> None:
    person = scene.collection.memberships.get(user__username="adju").user
    make_password_link(collection=scene.collection, asked_by=scene.admin, person=person)


def _facets(scene: Scene) -> None:
    other = Collection.objects.get(slug="unopened")
    change_facets_and_scale(collection=other, facets=DEFAULT_FACETS, highest_grade=2)


def _unarchived(scene: Scene) -> None:
    archive_collection(collection=scene.collection)
    unarchive_collection(collection=scene.collection)


def _deleted(scene: Scene) -> None:
    other = Collection.objects.get(slug="unopened")
    archive_collection(collection=other)
    for _ in export_collection(other):
        pass
    begin_deletion(collection=other, name=other.slug)
    delete_collection(collection=other)


def _written(scene: Scene, name: str, text: str) -> Path:
    path = scene.folder / name
    path.write_text(text)
    return path


def _documents(scene: Scene) -> None:
    line = json.dumps({"docno": "new", "title": "New", "abstract": "One. Two."})
    import_documents(
        collection=scene.collection,
        path=_written(scene, "documents.jsonl", line),
        work=DirectRun(),
        options=DocumentImportOptions(),
    )


def _topics(scene: Scene) -> None:
    path = _written(scene, "topics.tsv", "t1\tbig cats\nt2\tsmall cats\n")
    import_topics(
        collection=scene.collection,
        files={"topics.tsv": path},
        work=DirectRun(),
        facet_key="method",
    )


def _query_list(scene: Scene) -> None:
    DocumentFactory(collection=scene.collection, docno="listed")
    add_query_list(collection=scene.collection, text="listed method\nlisted background")


def _added_and_removed(scene: Scene) -> None:
    DocumentFactory(collection=scene.collection, docno="added")
    (query,) = add_queries(collection=scene.collection, docno="added", facet_keys=["method"])
    remove_query(query=query)


def _opened(scene: Scene) -> None:
    query = a_query(scene.collection, 2)
    open_query(query=query, annotators=annotators(scene.collection), opened_by=scene.admin)


def _frozen(scene: Scene) -> None:
    a_query(scene.collection, 2)
    freeze_pools(collection=scene.collection)


def _topped_up(scene: Scene) -> None:
    top_up(scene.opening)
    open_new_pairs(collection=scene.collection)


def _handed_over(scene: Scene) -> None:
    third = member(scene.collection, Role.ANNOTATOR, "ann3")
    opening = an_open_query(scene.collection, size=2, facet="background")
    reassign_seat(opening=opening, number=1, annotator=third)


def _guideline(scene: Scene) -> None:
    first = scene.opening.guideline
    second = write_guideline(facet=first.facet, instructions="Anew.", grades=first.grades)
    apply_guideline(
        collection=scene.collection,
        queries=[scene.opening.query.name],
        guideline=second,
        reason=REASON,
        judge_again=False,
        made_by=scene.admin,
    )


def _qualified(scene: Scene) -> None:
    change = {"collection": scene.collection, "reason": REASON, "given_by": scene.admin}
    person = annotators(scene.collection)[0]
    give_qualification(person=person, level=Level.JUDGE, **change)
    withdraw_qualification(person=person, level=Level.JUDGE, **change)


def _referred(scene: Scene) -> None:
    refer(scene.opening.query.pairs.order_by("pk").last(), Recipient.JUDGES)


def _judgments(scene: Scene) -> None:
    DocumentFactory(collection=scene.collection, docno="imp")
    query = a_query(scene.collection, 1)
    freeze_pools(collection=scene.collection)
    docno = query.query_paper.pool.candidates.get().document.docno
    lines = "".join(f"{query.name},{docno},{name},2\n" for name in ("mara", "otto"))
    path = _written(scene, "judgments.csv", f"query,docno,annotator,grade\n{lines}")
    import_judgments(
        collection=scene.collection,
        files=[(path, path.name)],
        options=ImportOptions(),
        work=DirectRun(),
    )


def _released(scene: Scene) -> None:
    release = publish_release(collection=scene.collection, version="1.0", accept=EVERY_EXCEPTION)
    make_public(release=release, person=scene.admin)
    make_private(release=release, person=scene.admin)
    for number in range(2):
        erratum = report_erratum(
            release=release, query=scene.opening.query.name, docno="", problem=f"It is {number}."
        )
    settle_erratum(erratum=erratum, accept=True, answer="Yes.", settled_by=scene.admin)
    others = [row.pk for row in release.errata.all()]
    decline_errata(collection=scene.collection, answer="No.", settled_by=scene.admin, ids=others)


DEEDS: list[tuple[Deed, list[Kind]]] = [
    (
        lambda scene: store_invitation(
            scene.collection, Invitee("mara@example.org", ""), Role.CURATOR, scene.admin
        ),
        [Kind.PERSON_INVITED],
    ),
    (_erased, [Kind.PERSON_EXPORTED, Kind.PERSON_ERASED]),
    (
        _ended_invitation,
        [Kind.PERSON_INVITED, Kind.INVITATION_SENT_AGAIN, Kind.INVITATION_REVOKED],
    ),
    (_accepted_invitation, [Kind.PERSON_INVITED, Kind.ACCOUNT_CREATED, Kind.ROLE_GIVEN]),
    (
        lambda scene: create_token(
            person=scene.admin, name="script", scope=TokenScope.READ, days=30
        ),
        [Kind.TOKEN_MADE],
    ),
    (_revoked_token, [Kind.TOKEN_MADE, Kind.TOKEN_REVOKED]),
    (_removed_second_factors, [Kind.SECOND_FACTOR_RESET]),
    (_unlinked_identity, [Kind.IDENTITY_LINKED, Kind.IDENTITY_UNLINKED]),
    (
        lambda scene: create_person(
            collection=scene.collection, username="new", name="", role=Role.CURATOR
        ),
        [Kind.ACCOUNT_CREATED, Kind.ROLE_GIVEN],
    ),
    (
        lambda scene: add_membership(
            collection=scene.collection, user=scene.admin, role=Role.ADJUDICATOR
        ),
        [Kind.ROLE_GIVEN],
    ),
    (  # it is the admin's already
        lambda scene: add_membership(
            collection=scene.collection, user=scene.admin, role=Role.ADMIN
        ),
        [],
    ),
    (_changed_roles, [Kind.ROLE_REMOVED, Kind.ROLE_GIVEN]),
    (_ended_judging, [Kind.JUDGING_ENDED]),
    (_link, [Kind.PASSWORD_LINK_MADE]),
    (_new_passwords, [Kind.PASSWORD_CHANGED, Kind.PASSWORD_LINK_MADE, Kind.PASSWORD_RESET]),
    (
        lambda scene: a_collection("another"),
        [Kind.COLLECTION_CREATED, Kind.ROLE_GIVEN],
    ),
    (
        lambda scene: change_licences(collection=scene.collection, licence="MIT"),
        [Kind.SETTINGS_CHANGED],
    ),
    (  # nothing changes
        lambda scene: change_licences(
            collection=scene.collection, licence=scene.collection.licence
        ),
        [],
    ),
    (
        lambda scene: change_judging_rules(
            collection=scene.collection, changes={"marks_aspects": True}
        ),
        [Kind.SETTINGS_CHANGED],
    ),
    (
        lambda scene: change_rule(collection=scene.collection, rule=AgreementRule("kappa", 0.4)),
        [Kind.SETTINGS_CHANGED],
    ),
    (_facets, [Kind.SETTINGS_CHANGED, *[Kind.GUIDELINE_CHANGED] * 3]),
    (_unarchived, [Kind.COLLECTION_ARCHIVED, Kind.COLLECTION_UNARCHIVED]),
    (
        _deleted,
        [
            Kind.COLLECTION_ARCHIVED,
            Kind.COLLECTION_EXPORTED,
            Kind.DELETION_BEGUN,
            Kind.COLLECTION_DELETED,
        ],
    ),
    (_documents, [Kind.DOCUMENTS_IMPORTED]),
    (_topics, [Kind.QUERIES_ADDED]),
    (_query_list, [Kind.QUERIES_ADDED]),
    (_added_and_removed, [Kind.QUERIES_ADDED, Kind.QUERY_REMOVED]),
    (_opened, [Kind.QUERIES_ADDED, Kind.POOLS_FROZEN, Kind.QUERY_OPENED]),
    (_frozen, [Kind.QUERIES_ADDED, Kind.POOLS_FROZEN]),
    (_topped_up, [Kind.POOLS_TOPPED_UP, Kind.NEW_PAIRS_OPENED]),
    (
        _handed_over,
        [Kind.QUERIES_ADDED, Kind.POOLS_FROZEN, Kind.QUERY_OPENED, Kind.PAIRS_REASSIGNED],
    ),
    (_guideline, [Kind.GUIDELINE_CHANGED, Kind.GUIDELINE_APPLIED]),
    (_qualified, [Kind.QUALIFICATION_GIVEN, Kind.QUALIFICATION_WITHDRAWN]),
    (_referred, [Kind.PAIR_REFERRED]),
    (
        _judgments,
        [
            *(Kind.QUERIES_ADDED, Kind.POOLS_FROZEN, Kind.ROLE_GIVEN, Kind.ROLE_GIVEN),
            *(Kind.QUERY_OPENED, Kind.JUDGMENTS_IMPORTED),
        ],
    ),
    (
        _released,
        [
            *(Kind.RELEASE_PUBLISHED, Kind.FINDING_ACCEPTED, Kind.RELEASE_MADE_PUBLIC),
            *(Kind.RELEASE_WITHDRAWN, Kind.ERRATUM_DECIDED, Kind.ERRATUM_DECIDED),
        ],
    ),
]


def of_own_account(person: User) -> list[tuple[str, dict[str, object]]]:
    """The kinds and details of what the person did with the own account, without logins."""
    rows = RecordedAction.objects.filter(person=person, about=person).order_by("pk")
    return list(rows.values_list("kind", "details"))


def recorded(after: int) -> list[Kind]:
    """The kinds of the actions with a higher id, in order."""
    rows = RecordedAction.objects.filter(pk__gt=after).order_by("pk")
    return [Kind(kind) for kind in rows.values_list("kind", flat=True)]
