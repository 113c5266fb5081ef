"""The accounts of the people of the files, and their seats at a query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from accounts.models import JUDGES, Role, User
from accounts.services import AccountError, add_membership, imported_person, imported_username
from adjudication.judgment_import.context import JudgmentImportContext, JudgmentsRefused
from adjudication.judgment_import.files import Answered
from corpus.models import Query
from database.natural_order import natural_key


class ImportedPeople:
    """The accounts of one import. Each is created when it is first needed."""

    def __init__(self, context: JudgmentImportContext) -> None:
        self._context = context
        self._accounts: dict[tuple[str, str], User] = {}

    def account(self, name: str, role: str) -> User:
        """The account of a person of the files, with the role.

        Raises:
            JudgmentsRefused: the account of that name can log in.
        """
        known = self._accounts.get((name, role))
        if known is not None:
            return known
        collection = self._context.collection
        username = imported_username(collection.slug, name)
        is_new = not User.objects.filter(username=username).exists()
        try:
            user = imported_person(username=username, name=name)
            add_membership(collection=collection, user=user, role=role)
        except AccountError as error:
            raise JudgmentsRefused([str(error)]) from error
        self._context.report.people += is_new
        self._accounts[name, role] = user
        return user

    def seats(self, query: Query, records: Sequence[Answered]) -> tuple[User, User] | None:
        """The two annotators of a query; None, and a problem, if the second is not named."""
        first, second = seats_of(records)
        if second:
            return self.account(first, Role.ANNOTATOR), self.account(second, Role.ANNOTATOR)
        username = self._context.options.second_annotator
        if not username:
            self._context.add_problem(
                records[0],
                f"all judgments of {query.name} in the files are by {first}. "
                "Name the second annotator, who judges its pairs a second time.",
            )
            return None
        collection = self._context.collection
        person = User.objects.filter(
            username=username,
            memberships__collection=collection,
            memberships__role__in=JUDGES,
        ).first()
        if person is None:
            raise JudgmentsRefused(
                [f"{username} is not an annotator of {collection}. Add the role first."]
            )
        return self.account(first, Role.ANNOTATOR), person


def seats_of(records: Sequence[Answered]) -> tuple[str, str]:
    """The people for seats 1 and 2: those with most judgments; "" if one person made them all.

    The numbers of slots in the records decide which of the two gets which seat, or else the names.
    """
    totals = Counter(record.person for record in records)
    lean: Counter[str] = Counter()  # towards slot 2
    for record in records:
        lean[record.person] += {1: -1, 2: 1}.get(record.slot, 0)
    most = sorted(totals, key=lambda name: (-totals[name], natural_key(name)))[:2]
    first, *second = sorted(most, key=lambda name: (lean[name], natural_key(name)))
    return first, second[0] if second else ""
