"""What all API views share: serializers, errors, paging, the OpenAPI document. Begin with
`serializers.py`.
"""
