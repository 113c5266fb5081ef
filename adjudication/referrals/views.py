"""The page on which an admin has judged pairs decided again."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from adjudication.models import Recipient, Referral
from adjudication.referrals.forms import SHOWN, ReferralForm
from adjudication.referrals.services import ReferralError, refer_pair
from web.tables.cells import numbered_page

DONE = {
    Recipient.ADJUDICATOR: "It is a case for the adjudicator now.",
    Recipient.JUDGES: "Its two judges find it among their pairs now.",
}


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def referrals(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The form, which a link can fill in, and the pairs until now."""
    asked = {name: request.GET.get(name, "") for name in SHOWN}
    sent = request.POST if request.method == "POST" else None
    form = ReferralForm(sent, collection=collection, initial=asked)
    status = 200
    if form.is_bound and form.is_valid():
        try:
            referral = refer_pair(
                collection=collection, referred_by=person_of(request), **form.request
            )
        except ReferralError as error:
            form.add_error(error.field or None, str(error))
        else:
            done = DONE[Recipient(referral.recipient)]
            pair = referral.pair
            docno = form.cleaned_data["docno"]
            messages.success(request, f"{pair.query.name} {docno} is decided again. {done}")
            return redirect("referrals", collection.slug)
    if form.errors:
        status = 422
    rows = Referral.objects.of(collection).select_related(
        "pair__query", "pair__candidate__document", "referred_by"
    )
    page = numbered_page(rows, request)
    context = {"collection": collection, "form": form, "page": page}
    return render(request, "adjudication/referrals.html", context, status=status)
