"""Ask the admin from the page of a case."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from accounts.models import User
from adjudication.claims.services import lock_pair
from adjudication.errors import NoSuchCase
from adjudication.models import Case
from adjudication.tiers import check_senior
from annotation.help_requests.services import NewRequest, save_request
from annotation.models import HelpRequest, Pair


def ask_about_case(*, pair_id: int, asker: User, **sent: Any) -> HelpRequest:
    """Ask the admin about a case or a spot check, or about the guideline of its facet.

    `sent` are the fields of a NewRequest. The case does not wait for the answer.

    Raises:
        NoSuchCase, JudgedByYou, NotSenior
        BadHelpText, NoAdmin, AlreadyAsked, KeyReused, CollectionArchived
    """
    return save_request(
        sent=NewRequest(**sent),
        asker=asker,
        lock_pair=lambda: _locked_case(pair_id, asker),
        from_case=True,
    )


def _locked_case(pair_id: int, asker: User) -> tuple[Pair, str]:
    """The pair and its token. No judgment of it changes meanwhile."""
    lock_pair(pair_id, asker.pk)
    pair = Pair.objects.select_related("query__facet__collection").get(pk=pair_id)
    check_senior(pair.query.facet.collection, asker)
    if not Case.objects.to_adjudicate().for_adjudicator(asker).filter(pk=pair_id).exists():
        raise NoSuchCase(gettext("This pair needs no decision any more. Nothing was sent."))
    return pair, pair.token
