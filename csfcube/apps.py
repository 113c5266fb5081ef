from django.apps import AppConfig


class CSFCubeConfig(AppConfig):
    name = "csfcube"
