"""The archive in the API. Collections themselves are in `annotation.api_collections`."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from annotation.api_collections import CollectionAnswer, collections_of
from dashboard.archiving import archive_collection, unarchive_collection


class CollectionArchive(CollectionView):
    @extend_schema(
        summary="Archive a collection",
        description="It can then be read but not changed: every change answers 409 with the code "
        "`collection_archived`. A collection with jobs in progress is not archived (409).",
        request=None,
        responses=CollectionAnswer,
    )
    def post(self, request: Request, slug: str) -> Response:
        archive_collection(collection=self.collection)
        return self._answer()

    @extend_schema(
        summary="Unarchive a collection", request=None, responses={200: CollectionAnswer}
    )
    def delete(self, request: Request, slug: str) -> Response:
        unarchive_collection(collection=self.collection)
        return self._answer()

    def _answer(self) -> Response:
        collection = collections_of(self.person).get(pk=self.collection.pk)
        return Response(CollectionAnswer(collection).data)
