from django.apps import AppConfig


class RebuildingConfig(AppConfig):
    name = "rebuilding"
