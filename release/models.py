"""Published versions, and the answers of the datasheet."""

from __future__ import annotations

import zipfile

from django.core.validators import RegexValidator
from django.db import models
from django.utils import timezone

from accounts.models import Collection, User
from web.errors import Conflict

VERSION = RegexValidator(
    r"\A[0-9]{1,4}(\.[0-9]{1,4}){1,2}(-[0-9a-z.]{1,20})?\Z",
    "A version is two or three numbers, such as 1.0 or 1.2.1-rc1.",
)


def release_path(release: Release, name: str) -> str:
    return f"releases/{release.collection.slug}/{name}"


class Release(models.Model):
    """A published version: its file and its row never change, but for who may see it.

    `manifest` is MANIFEST.json of the file without the manifests of the pools, which are long. `is_public`: without
    logging in.
    """

    collection = models.ForeignKey(Collection, models.PROTECT, related_name="releases")
    version = models.CharField(max_length=40, validators=[VERSION])
    file = models.FileField(upload_to=release_path, max_length=300)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(help_text="In bytes.")
    manifest = models.JSONField()
    published_at = models.DateTimeField(default=timezone.now)
    published_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    is_public = models.BooleanField(default=False)

    class Meta:
        ordering = ("-pk",)
        constraints = [models.UniqueConstraint(fields=["collection", "version"], name="version_once_in_a_collection")]

    def __str__(self) -> str:
        return f"{self.collection} {self.version}"

    @property
    def file_name(self) -> str:
        return f"{self.collection.slug}-{self.version}.zip"

    def read(self, name: str) -> str:
        """A file of the zip."""
        try:
            with self.file.open() as file, zipfile.ZipFile(file) as archive:
                return archive.read(name).decode()
        except Exception as error:  # each storage has its own errors
            raise Conflict(self.unreadable) from error

    @property
    def unreadable(self) -> str:
        return (
            f"The file of version {self.version} cannot be read now. If it is gone, restore it from a backup: its "
            f"SHA-256 is {self.sha256}."
        )

    @property
    def changed(self) -> str:
        """2 added, 1 removed; "" for the first version."""
        changes = self.manifest["changes"]
        kinds = [f"{changes[kind]:,} {kind}" for kind in ("added", "changed", "removed") if changes.get(kind)]
        return ", ".join(kinds) or ("same labels" if changes else "")


class Datasheet(models.Model):
    """Answers by the keys of `release.datasheet.SECTIONS`."""

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="datasheet")
    answers = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"datasheet of {self.collection}"
