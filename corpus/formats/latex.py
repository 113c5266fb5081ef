"""LaTeX of BibTeX files as plain text. Pure.

Accents, special letters, quotes and dashes become Unicode. Commands without a meaning here are left
out, and what stands in their braces is kept. A formula between dollar signs keeps its commands.
"""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328",
    "r": "\u030a", "d": "\u0323", "b": "\u0331",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
    "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ",
    "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ", "textquoteright": "’", "textquoteleft": "‘",
    "textquotedblleft": "“", "textquotedblright": "”", "textquotedbl": '"', "quotedblbase": "„",
    "textquotesingle": "'", "textendash": "–", "textemdash": "—", "textasciitilde": "~",
    "textasciicircum": "^", "textbackslash": "\\", "textbar": "|", "textless": "<",
    "textgreater": ">", "textunderscore": "_", "textdollar": "$", "textpercent": "%",
    "textregistered": "®", "texttrademark": "™", "textcopyright": "©", "textdegree": "°",
    "textbullet": "•", "textellipsis": "…", "ldots": "…", "dots": "…", "S": "§", "P": "¶",
    "pounds": "£", "texteuro": "€", "euro": "€",
}  # fmt: skip
_BASE = r"(?:\{\s*(\\[ij](?![A-Za-z])|[^\W\d_]?)\s*\}|(\\[ij](?![A-Za-z])\s?|[^\W\d_]))"
_ACCENT = re.compile(rf"""\\(?:(['`^"~=.])\s*|([uvHckrdb])(?:\s+|(?=\{{)))(?:{_BASE})""")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?(?:\s+|\{\})?|\\([^A-Za-z])")
_FORMULA = re.compile(r"((?<!\\)\$[^$]+(?<!\\)\$)")
_DASHES = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"))


def plain_text(latex: str) -> str:
    """The text of a value of a BibTeX entry, with single spaces."""
    latex = " ".join(latex.split())  # Long white space costs these expressions its square.
    if "\\" in latex or "$" in latex:
        parts = _FORMULA.split(latex)
        text = "".join(
            part if place % 2 else _without_commands(part) for place, part in enumerate(parts)
        )
    else:
        text = _without_marks(latex)
    return " ".join(text.split())


def _without_commands(text: str) -> str:
    text = _ACCENT.sub(_accented, text)
    kept: list[str] = []  # escaped characters, which are not marks
    text = _COMMAND.sub(lambda match: _meaning(match, kept), text)
    text = _without_marks(text)
    characters = iter(kept)
    return re.sub("\x00", lambda _: next(characters), text) if kept else text


def _without_marks(text: str) -> str:
    text = text.replace("{", "").replace("}", "").replace("~", " ")
    for mark, character in _DASHES:
        text = text.replace(mark, character)
    return text


def _accented(match: re.Match[str]) -> str:
    accent = _ACCENTS[match[1] or match[2]]
    base = (match[3] or match[4] or "").strip().lstrip("\\")
    return unicodedata.normalize("NFC", f"{base}{accent}") if base else ""


def _meaning(match: re.Match[str], kept: list[str]) -> str:
    if match[1]:
        character = _LETTERS.get(match[1], "")
    else:
        character = " " if match[2] in "\\ ,;:!/-\n" else match[2]
    if character and character in "{}~":
        kept.append(character)
        return "\x00"
    return character
