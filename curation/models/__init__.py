"""Sentence labels and where they come from; samples, screening, the choice of queries."""

from curation.models.choices import QueryChoice as QueryChoice
from curation.models.labels import Labeller as Labeller
from curation.models.labels import LabelRecord as LabelRecord
from curation.models.labels import LabelRecordQuerySet as LabelRecordQuerySet
from curation.models.samples import PaperType as PaperType
from curation.models.samples import Sample as Sample
from curation.models.samples import SampledPaper as SampledPaper
from curation.models.samples import Screening as Screening
