from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedFiles(CompressedManifestStaticFilesStorage):
    """Names with hashes, in the imports of scripts, too: a browser never mixes scripts of two versions."""

    support_js_module_import_aggregation = True
