"""The invitations of a collection, on the page *People*."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.access import in_collection, person_of, row_or_404
from accounts.invitations.forms import InviteForm
from accounts.invitations.models import Invitation
from accounts.invitations.services import SentInvitation, invite, revoke, send_again
from accounts.models import OWNERS, Collection
from accounts.services import AccountError
from dashboard.people.views import people_page
from web.errors import UserFacingError
from web.words import count_noun


@in_collection(*OWNERS)
@never_cache
@require_POST
def invite_people(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = InviteForm(request.POST, prefix="invite")
    if not form.is_valid():
        return people_page(request, collection, invite_form=form)
    try:
        sent = invite(
            collection=collection,
            invitees=form.cleaned_data["people"],
            role=form.cleaned_data["role"],
            invited_by=person_of(request),
            base_url=request.build_absolute_uri("/"),
        )
    except (AccountError, UserFacingError) as error:
        form.add_error("people", str(error))
        return people_page(request, collection, invite_form=form)
    _tell(request, sent)
    return _to_invitations(collection)


@in_collection(*OWNERS)
@require_POST
def send_invitation_again(
    request: HttpRequest, collection: Collection, invitation_id: int
) -> HttpResponse:
    invitation = _invitation(collection, invitation_id)
    try:
        sent = send_again(invitation=invitation, base_url=request.build_absolute_uri("/"))
    except UserFacingError as error:
        messages.error(request, str(error))
    else:
        _tell(request, [sent])
    return _to_invitations(collection)


@in_collection(*OWNERS)
@require_POST
def revoke_invitation(
    request: HttpRequest, collection: Collection, invitation_id: int
) -> HttpResponse:
    invitation = _invitation(collection, invitation_id)
    try:
        revoke(invitation=invitation)
    except AccountError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The invitation of {invitation.email} no longer works.")
    return _to_invitations(collection)


def _invitation(collection: Collection, invitation_id: int) -> Invitation:
    return row_or_404(collection.invitations.filter(pk=invitation_id).first(), "no such invitation")


def _to_invitations(collection: Collection) -> HttpResponse:
    return redirect("people", collection.slug)


def _tell(request: HttpRequest, sent: Sequence[SentInvitation]) -> None:
    """Say how many mails went out, and which did not. Those invitations stay in the list."""
    failed = [each.invitation.email for each in sent if each.error]
    number = len(sent) - len(failed)
    if number:
        messages.success(request, f"Sent {count_noun(number, 'invitation')}.")
    if failed:
        shown = ", ".join(failed[:5]) + (" and others" if len(failed) > 5 else "")
        messages.error(
            request,
            f"The mail server failed for {count_noun(len(failed), 'invitation')}: {shown}. "
            "They are kept below. Send them again later.",
        )
