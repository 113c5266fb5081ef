"""A rule that splits an abstract into sentences. Pure.

It needs no model, so an abstract has the same sentences on every machine and in every version: what an annotator
saw, and its digest, depend on that.

The rule. Runs of white space count as one space. A sentence ends after `.`, `!`, `?` or `…`, with
the quotes and brackets that close behind it, where a space follows and the next word does not start
with a lower-case letter; and after the ideographic `。`, `！` and `？` anywhere. It does not end

- after an abbreviation that never ends one (`e.g.`, `i.e.`, `vs.`, `Fig.`, `Dr.`, …),
- after `No.`, `p.`, `vol.` and the like before a number,
- after `et al.` and `etc.`, unless a capital letter comes next,
- after initials (`J. Smith`, `U.S. English`),
- while it holds no letter yet (`1. First`, `... and`).

Decimals (`0.5`) and names (`Node.js`) hold no space, so they never split.

In a lower-case text, a sentence may begin with a lower-case letter. A text is lower-case if its
first letter is, and no capital follows a mark and a space. There a mark may stand apart from its
word, as in `a wing .`, and the abbreviation before it still counts. Dots in a row end nothing.
"""

from __future__ import annotations

import re

_NEVER_ENDS = re.compile(
    r"e\.?g|i\.?e|cf|viz|vs|resp|approx|ca|w\.r\.t|a\.k\.a|incl|esp|inc"
    r"|figs?|eqn?s?|secs?|sect|tab|thm|def|dr|prof|mrs?|ms|st|jr|sr"
)
_BEFORE_A_NUMBER = re.compile(r"nos?|nr|pp?|vols?|ch|chap|art|refs?|alg|app")
_BEFORE_A_CAPITAL = re.compile(r"al|etc")

_OPENING = "([{\"'“‘«„"
# The first character stands apart for speed: the engine then skips to the next one that can match.
_LATIN_END = r"""[.!?…][.!?…]*["'”’»)\]}]*(?= )"""
_ASCII_END = re.compile(_LATIN_END)
_END = re.compile(_LATIN_END + r"""|[。！？]+["'”’」』）]*""")
_LETTER = re.compile(r"[^\W\d_]")
_DOTS = re.compile(r"…|\.[.…]")  # dots in a row
_LETTER_WITH_DOT = re.compile(r" [^\W\d_] ?\.(?= |$)")
_ENDS_IN_LETTER_WITH_DOT = re.compile(r"(?:^|[ (])[^\W\d_] ?\. ?[^\W\d_]$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")


def split_sentences(text: str) -> list[str]:
    """The sentences of an abstract, none of them empty; joined they hold every word of it."""
    flat = " ".join(text.split())
    ends_here = _ends_in_lower_case if _is_lower_case(flat) else _ends_a_sentence
    sentences: list[str] = []
    start = search_start = 0
    has_letter = False
    for mark in (_ASCII_END if flat.isascii() else _END).finditer(flat):
        has_letter = has_letter or bool(_LETTER.search(flat, search_start, mark.start()))
        search_start = mark.end()
        if has_letter and ends_here(flat, start, mark):
            sentences.append(flat[start : mark.end()].strip())
            start, has_letter = mark.end(), False
    last_sentence = flat[start:].strip()
    return [*sentences, last_sentence] if last_sentence else sentences


def _ends_a_sentence(flat: str, start: int, mark: re.Match[str]) -> bool:
    if mark.group()[0] in "。！？":
        return True
    next_character = _next_character(flat, mark)
    if next_character.islower():
        return False
    word_start = max(start, flat.rfind(" ", start, mark.start()) + 1)
    return mark.group() != "." or not _is_abbreviation(flat[word_start : mark.start()], next_character)


def _next_character(flat: str, mark: re.Match[str]) -> str:
    return flat[mark.end() : mark.end() + 20].lstrip(" " + _OPENING)[:1]


def _is_lower_case(flat: str) -> bool:
    first_letter = _LETTER.search(flat)
    if first_letter is None or not first_letter.group().islower():
        return False
    return not any(_next_character(flat, mark).isupper() for mark in _ASCII_END.finditer(flat))


def _ends_in_lower_case(flat: str, start: int, mark: re.Match[str]) -> bool:
    """Return whether the mark ends a sentence of a lower-case text."""
    if mark.group()[0] in "!?。！？":
        return True
    next_character = _next_character(flat, mark)
    is_in_row = next_character == "." or flat[max(start, mark.start() - 2) : mark.start()] == ". "
    if is_in_row or _DOTS.match(mark.group()):
        return False
    before = flat[start : mark.start()].rstrip(" ")
    word = before[before.rfind(" ") + 1 :]
    is_apart = len(before) < mark.start() - start
    if is_apart and len(word.lstrip(_OPENING)) == 1 and not next_character.isdigit():
        # "e . g ." is an abbreviation, and "at mach number m ." is an end.
        return not (_LETTER_WITH_DOT.match(flat, mark.end()) or _ENDS_IN_LETTER_WITH_DOT.search(before))
    return not _is_abbreviation(word, next_character)


def _is_abbreviation(word: str, next_character: str) -> bool:
    bare = word.lstrip(_OPENING)
    lower = bare.lower()
    if _NEVER_ENDS.fullmatch(lower) or _INITIALS.fullmatch(bare):
        return True
    if _BEFORE_A_NUMBER.fullmatch(lower):
        return next_character.isdigit()
    return bool(_BEFORE_A_CAPITAL.fullmatch(lower)) and not next_character.isupper()
