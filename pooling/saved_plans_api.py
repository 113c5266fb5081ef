"""Saved plans in the API: the plans that the page "Plan the pools" offers by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import CollectionView
from database.dry_run import rolled_back_if
from pooling.api import Plan
from pooling.models import SavedPlan
from pooling.plan_form import PoolPlanForm
from pooling.plan_texts import texts_of
from pooling.services import delete_plan, save_plan
from web.api.serializers import DryRun, found


class NewPlan(Plan):
    """The keys of a build of pools, and the name."""

    name = serializers.CharField(max_length=60)
    replace = serializers.BooleanField(
        default=False, help_text="Replace the saved plan that has the name."
    )


class SavedPlanLine(serializers.Serializer[SavedPlan]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    saved_at = serializers.DateTimeField()
    saved_by = serializers.CharField(source="saved_by.username", default="")


class SavedPlanAnswer(SavedPlanLine):
    plan = serializers.SerializerMethodField(
        help_text="As `pools/` takes it. Null if it no longer fits the collection, for example "
        "because a run was removed."
    )

    def get_plan(self, saved: SavedPlan) -> dict[str, Any] | None:
        form = PoolPlanForm.of_texts(saved.fields, saved.collection).as_sent()
        if not form.is_valid():
            return None
        return {
            **form.plan().as_json(),
            "query_papers": list(form.docnos),
            "without_pool": form.without_pool,
        }


class SavedPlans(CollectionView):
    @extend_schema(summary="Saved plans, by name", responses=SavedPlanLine(many=True))
    def get(self, request: Request, slug: str) -> Response:
        return self.paged(self.collection.saved_plans.select_related("saved_by"), SavedPlanLine)

    @extend_schema(
        summary="Save a plan under a name",
        description="The page “Plan the pools” opens with it, too. Nothing is built. 409 with "
        "`plan_name_taken` if another plan has the name, unless `replace` is true.",
        request=NewPlan,
        responses={201: SavedPlanAnswer},
    )
    def post(self, request: Request, slug: str) -> Response:
        serializer = self.parser(NewPlan)
        asked: Mapping[str, Any] = serializer.validated_data
        plan = serializer.plan()
        plan.check()
        texts = texts_of(
            self.collection,
            plan,
            docnos=asked["query_papers"],
            without_pool=asked["without_pool"],
        )
        form = PoolPlanForm(texts, collection=self.collection)
        if unknown := set(plan.known_runs) - set(form.imported):
            raise ValidationError({"forced": [f"{min(unknown)} is not an imported run."]})
        if not form.is_valid():
            raise ValidationError({name: list(map(str, form.errors[name])) for name in form.errors})
        saved_plan = save_plan(
            collection=self.collection,
            name=asked["name"],
            fields=form.texts() | {"opened": [asked["name"]]},
            saved_by=self.person,
            opened=asked["name"] if asked["replace"] else "",
        )
        return Response(SavedPlanAnswer(saved_plan).data, status=201)


class SavedPlanDetail(CollectionView):
    @extend_schema(summary="One saved plan", responses=SavedPlanAnswer)
    def get(self, request: Request, slug: str, plan: int) -> Response:
        return Response(SavedPlanAnswer(self._plan(plan)).data)

    @extend_schema(
        summary="Delete a saved plan",
        description="Pools that were built with it stay. It cannot be undone. With `dry_run`, 200 "
        "with the plan that would be deleted.",
        parameters=[DryRun],
        responses={200: SavedPlanAnswer, 204: None},
    )
    def delete(self, request: Request, slug: str, plan: int) -> Response:
        is_tried = self.parameters(DryRun).validated_data["dry_run"]
        row = self._plan(plan)
        answer = SavedPlanAnswer(row).data
        with rolled_back_if(is_tried):
            delete_plan(plan=row)
        return Response(answer) if is_tried else Response(status=204)

    def _plan(self, pk: int) -> SavedPlan:
        return found(self.collection.saved_plans.select_related("collection", "saved_by"), pk=pk)
