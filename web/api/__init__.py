"""Parts of all API views: serializers, errors, paging, OpenAPI. Begin with `serializers.py`."""
