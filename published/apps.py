from django.apps import AppConfig


class PublishedConfig(AppConfig):
    name = "published"
