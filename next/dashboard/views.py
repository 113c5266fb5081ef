from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, ANNOTATOR, Collection


@in_collection()
def collection(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """An admin's overview; everyone else goes to their own work."""
    roles = request.membership.roles
    if ADMIN not in roles:
        return redirect("work" if ANNOTATOR in roles else "queue", collection.slug)
    return render(request, "dashboard/overview.html", {"collection": collection})


@in_collection(ADMIN)
def progress(request: CollectionRequest, collection: Collection) -> HttpResponse:
    return render(request, "dashboard/overview.html", {"collection": collection})


settings = search = progress
