"""Languages: the code of a language, and the language of texts, guessed. Pure.

The guess for a corpus only chooses which analysis the pages offer first, and a person can change
that. Filters use the guess for a document if its source names no language. An unclear guess does
not count.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

CHARACTERS = "characters"  # the analysis of scripts without spaces between words
SHARE_OF_CHARACTERS = 0.3  # of all letters, to be a text in such a script
SHARE_OF_WORDS = 0.08  # of all words, that must be function words of the language
LEAD = 1.5  # times as many as of the second language
FEWEST_WORDS = 30

# Ten to twenty frequent words of each language that has a stemmer, chosen to tell it from others.
_FUNCTION_WORDS = {
    "arabic": "في من على إلى أن التي الذي هذا هذه عن مع كان ما لا بين",
    "danish": "og i at det en den til er som på de med af for ikke der var et har blev",
    "dutch": "de het een van en in is dat op te zijn met voor niet aan er door als ook wordt",
    "english": "the of and to in a is that for it with as was on are by this from we which",
    "finnish": "ja on ei että se oli joka ovat mutta tai kun niin myös sen hän kuin",
    "french": "le la les de des et un une du en est que pour dans qui par sur au avec pas",
    "german": "der die und das von zu mit den ist des nicht ein eine auf für dem im sich als",
    "greek": "και το του της η ο την που με για να στην τα των από είναι σε",
    "hungarian": "a az és hogy nem is egy ez volt meg de csak mint vagy azt",
    "italian": "di e il la che per un una è del in con le i non della si da dei gli",
    "norwegian": "og i det på som er en til av for at med har ikke den et de ble fra seg",
    "portuguese": "de a o que e do da em um para com uma os no não na por mais as dos",
    "romanian": "și de în la a cu pe un o care este din nu că pentru mai sunt prin",
    "russian": "и в не на что с по как из для это к а от о же но при который или",
    "spanish": "de la que el en y los del se las por un con una para no es su al lo",
    "swedish": "och i att det som en på är av för med den till inte ett har de om från var",
    "tamil": "மற்றும் ஒரு இந்த என்று என்ற அந்த இது ஆகும் உள்ள பல ஆனால்",
    "turkish": "ve bir bu için ile da de olarak olan daha çok gibi ne kadar en",
}
# ISO 639: the code of two letters, those of three letters, and the name in _FUNCTION_WORDS.
_CODES = {
    "ar": "ara arabic", "da": "dan danish", "de": "deu ger german", "el": "ell gre greek",
    "en": "eng english", "es": "spa spanish", "fi": "fin finnish", "fr": "fra fre french",
    "hu": "hun hungarian", "it": "ita italian", "ja": "jpn japanese", "ko": "kor korean",
    "nl": "nld dut dutch", "no": "nor nob nno nb nn norwegian", "pl": "pol polish",
    "pt": "por portuguese", "ro": "ron rum romanian", "ru": "rus russian", "sv": "swe swedish",
    "ta": "tam tamil", "th": "tha thai", "tr": "tur turkish", "zh": "zho chi cmn chinese",
    "bg": "bul bulgarian", "ca": "cat catalan", "cs": "ces cze czech", "et": "est estonian",
    "eu": "eus baq basque", "fa": "fas per persian", "he": "heb hebrew", "hi": "hin hindi",
    "hr": "hrv croatian", "id": "ind indonesian", "lt": "lit lithuanian", "lv": "lav latvian",
    "sk": "slk slo slovak", "sl": "slv slovenian", "sr": "srp serbian", "uk": "ukr ukrainian",
    "vi": "vie vietnamese",
}  # fmt: skip
_CODE_OF = {name: code for code, names in _CODES.items() for name in (code, *names.split())}
_WITHOUT_LANGUAGE = frozenset({"und", "mul", "mis", "zxx"})  # undetermined, multiple, none
# Scripts that show the language. Japanese also has Chinese characters, so kana come first.
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7a3]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("zh", re.compile("[\u3400-\u9fff]")),
)
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _words in _FUNCTION_WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_language)

_WORD = re.compile(r"[^\W\d_][\w\u0300-\u036f\u0b82-\u0bff]*")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
)


def guess_analysis(texts: Iterable[str]) -> str:
    """The name of the analysis for these texts: a language, `characters`, or "" if it is unclear.

    `characters` also stands for Korean, whose endings are written onto its words.
    """
    words: Counter[str] = Counter()
    letters = unspaced = 0
    for text in texts:
        lower = unicodedata.normalize("NFKC", text).lower()
        words.update(_WORD.findall(lower))
        letters += sum(map(str.isalpha, lower))
        unspaced += len(_UNSPACED.findall(lower))
    if letters >= FEWEST_WORDS and unspaced >= SHARE_OF_CHARACTERS * letters:
        return CHARACTERS
    counts: Counter[str] = Counter(dict.fromkeys(_FUNCTION_WORDS, 0))
    for word, count in words.items():
        for language in _LANGUAGES_OF.get(word, ()):
            counts[language] += count
    (best, best_count), (_, second_count) = counts.most_common(2)
    total = words.total()
    is_clear = best_count >= SHARE_OF_WORDS * total and best_count >= LEAD * second_count
    return best if total >= FEWEST_WORDS and is_clear else ""


def language_code(text: str) -> str:
    """The code of a language that is written as a code or an English name; "" if there is none.

    It has two letters for the languages above, as in "en" for "en-US", "eng" and "English". The
    three letters of another language stay as they are.
    """
    name = re.split(r"[-_]", text.strip().lower(), maxsplit=1)[0]
    if name in _CODE_OF:
        return _CODE_OF[name]
    is_code = name.isascii() and name.isalpha() and len(name) in (2, 3)
    return name if is_code and name not in _WITHOUT_LANGUAGE else ""


def guess_language(*texts: str) -> str:
    """The code of the language of a document's texts; "" if it is not clear."""
    analysis = guess_analysis(texts)
    if analysis != CHARACTERS:
        return _CODE_OF.get(analysis, "")
    together = " ".join(texts)
    return next((code for code, script in _SCRIPTS if script.search(together)), "")
