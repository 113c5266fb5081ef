"""Forms of the case page, which check the shape of the input; the services check the rest."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms

from accounts.models import HIGHEST_GRADE
from adjudication.queue import ShownJudgment
from adjudication.services import Ruling
from annotation.models import Reason

CANNOT = "cannot"
CARDS = ("a", "b")
# The service checks that the grade is on the scale of the collection.
ANSWERS = [*(str(grade) for grade in range(HIGHEST_GRADE + 1)), *CARDS, CANNOT]


class RulingForm(forms.Form):
    """A ruling. `answer` is a grade, the letter of a card to accept, or "cannot"."""

    answer = forms.ChoiceField(choices=[(answer, answer) for answer in ANSWERS])
    reason = forms.CharField(required=False, max_length=200)
    note = forms.CharField(required=False, max_length=4000)
    seen = forms.CharField(max_length=64)
    key = forms.UUIDField()
    supersedes = forms.UUIDField(required=False)
    blind = forms.BooleanField(required=False)  # given without seeing the cards
    seconds = forms.FloatField(required=False, min_value=0, max_value=24 * 3600)

    def ruling(self, cards: Sequence[ShownJudgment]) -> Ruling:
        """The ruling; a card's is that of the judgment on it, on the page that was seen."""
        answer, note = self.cleaned_data["answer"], self.cleaned_data["note"]
        card = next((card for card in cards if card.letter == answer), None)
        if card is not None:
            return Ruling(grade=card.grade, reason=card.reason, note=note)
        if answer in (CANNOT, *CARDS):
            words = self.cleaned_data["reason"]
            return Ruling(reason=Reason.OTHER if words else "", note=words)
        return Ruling(grade=int(answer), note=note)
