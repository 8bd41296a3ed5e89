"""The words of a text, and the forms in which a result may have them."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from functools import lru_cache
from itertools import groupby
from typing import Final
from urllib.parse import unquote

import re2

from controlplane.gates.text_folding import encodable
from controlplane.gates.values.normal_text import CharacterTable, normalize_text

# Returns the words of a text in the form in which they are compared.
#
# The origin of a value is found by its words: a call with `to: "ann@site.com"` takes it from
# the file that has this word. For the text `Ann’s INV-17`:
#
# | function | returns |
# |---|---|
# | `words_of` | `ann`, `inv-17` |
# | `phrase_of` | ` ann inv-17 `, in which ` ann ` can be found |
# | `letters_and_digits` | `Ann`, `s`, `INV`, `17` |

# A text in which equal words have equal characters, in the form in which words are compared.
#
# To find out which text a value of a call comes from, the words of both are compared. A mail may
# write `Ann’s` where the call has `ann's`, or leave out the blank after a full stop:
#
# | function | `Call Ann’s desk.Please pay` becomes |
# |---|---|
# | `unify` | `Call Ann's desk. Please pay` |
# | `fold` | `call ann's desk. please pay` |

_APOSTROPHES: Final = str.maketrans(dict.fromkeys("’‘ʼ`", "'"))
"""A table for `str.translate` that turns the other apostrophes into `'`."""
_JOINED_SENTENCES: Final = re2.compile(
    r"(\p{Ll}\.)(\p{Lu}\p{Ll}{3}|(?:The|She|You|Our|And|But|For|Its)\b)"
)
"""Two sentences without a blank between them: `week.Please`, `week.The`.
The second one begins with a word of at least four letters, or with a common one.
A shorter word may be the end of a name, such as `Com` in `site.Com`."""


def fold(text: str) -> str:
    """Return a text in lower case and uniform (see `unify`): `Ann’s INV` -> `ann's inv`."""
    return unify(text).casefold()


def unify(text: str) -> str:
    """Return a text in which equal words have equal characters.

    Wide letters become usual ones, all apostrophes `'`, and invisible characters are left
    out. Sentences without a blank between them are separated, so that their words are
    found: `this week.Please` -> `this week. Please`. Upper and lower case stay.
    """
    # Most texts are ASCII, and have none of these characters. (Only a backtick may be in them. It
    # stays, since few people use it as an apostrophe if they write ASCII.)
    if not text.isascii():
        text = normalize_text(text).text.translate(_APOSTROPHES)
    # Without a full stop there are no two sentences. Most short texts have none, so this saves time.
    if "." not in text:
        return encodable(text)
    # RE2 refuses a half of a surrogate pair. `encodable` replaces it by `?`.
    return str(_JOINED_SENTENCES.sub(r"\1 \2", encodable(text)))


# Splits a text into words as they are written, with the marks within them.
#
# The values of a call, such as an id, are looked up in texts by their words. So an id must stay one
# word: the text `Pay (inv-2026-17), ann,bob.` has the words `Pay`, `inv-2026-17`, `ann` and `bob`. The
# hyphens belong to the id, but the comma separates two names.

_MARKS: Final = "-_.@'+,:/"
"""Marks that may stand within a word: `inv-2026-17`, `ann@site.com`, `1,250.00`, `17:10`, `3/5`."""
_MARKS_BETWEEN_DIGITS: Final = ",:/"
"""The marks that may stand only between digits. In `ann,bob`, the comma separates two words."""


def _character_of_word(character: str) -> str:
    """Return a letter, digit or mark as it is, and a blank for any other character."""
    return character if character.isalnum() or character in _MARKS else " "


_CHARACTERS_OF_WORDS: Final = CharacterTable(_character_of_word)


def written_words(text: str) -> list[str]:
    """Return the words of a text, with the marks within them.

    `Pay inv-2026-17 (1,250.00) to ann,bob.` -> `Pay`, `inv-2026-17`, `1,250.00`, `to`, `ann`,
    `bob`. Marks at the ends of a word do not belong to it.
    """
    words: list[str] = []
    # Characters that do not belong to words, such as brackets, become blanks.
    for chunk in text.translate(_CHARACTERS_OF_WORDS).split():
        word = chunk.strip(_MARKS)
        if word.isalnum():  # as most words are
            words.append(word)
        elif any(mark in word for mark in _MARKS_BETWEEN_DIGITS):
            words.extend(_split_at_marks(word))
        elif word:
            words.append(word)
    return words


def _split_at_marks(chunk: str) -> list[str]:
    """Return the words of a chunk: `ann,bob` -> `ann`, `bob`, but `1,250` stays one word.

    The chunk neither begins nor ends with a mark.
    """
    chars = list(chunk)
    for position, char in enumerate(chunk):
        if char not in _MARKS_BETWEEN_DIGITS:
            continue
        is_between_digits = (
            chunk[position - 1].isdigit() and chunk[position + 1].isdigit()
        )
        if not is_between_digits:
            chars[position] = " "
    words = [word.strip(_MARKS) for word in "".join(chars).split()]
    return [word for word in words if word]


_BLANKS_FOR_MARKS: Final = str.maketrans(dict.fromkeys(_MARKS, " "))
"""A table for `str.translate` that turns every mark within a word into a blank."""
_LETTERS_AND_DIGITS: Final = re2.compile(r"[\pL\pN]+")
"""A run of letters and digits, of any script."""


def parts_of_word(word: str) -> list[str]:
    """Return what the marks in a word separate: `inv-2026` -> `inv`, `2026`."""
    return word.translate(_BLANKS_FOR_MARKS).split()


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, without a genitive's `'s`: `Ann's` -> `ann`."""
    return [word.removesuffix("'s") for word in written_words(fold(text))]


def phrase_of(text: str) -> str:
    """Return the words of a text as a phrase, with a blank around each: ` ann miller `.

    With blanks, the phrase ` ann ` is found in it, and not in ` anna miller `.
    """
    if len(text) <= _MOST_KEPT_CHARS:
        return _phrase_of_short_text(text)
    return f" {' '.join(words_of(text))} "


_MOST_KEPT_CHARS: Final = 60
"""The longest text whose phrase is kept, in characters. The fields of records have such texts, such as
`price` and `place`, and each trial of a run reads the same ones."""


@lru_cache(maxsize=4_096)
def _phrase_of_short_text(text: str) -> str:
    """Return the phrase of a short text (`phrase_of`)."""
    return f" {' '.join(words_of(text))} "


def letters_and_digits(text: str) -> list[str]:
    """Return the runs of letters and digits in a text: `inv-17` -> `inv`, `17`."""
    return list(_LETTERS_AND_DIGITS.findall(encodable(text)))


def has_digit(text: str) -> bool:
    """Return True if a text has a digit."""
    return any(char.isdigit() for char in text)


def has_words(text: str) -> bool:
    """Return True if a text has a letter or a digit. Other texts, such as `---`, tell nothing."""
    return any(char.isalnum() for char in text)


# The forms in which a tool may echo a text that a script passed to it, such as decoded.

# Decodes the words of a text that are base64 or hexadecimal codes.
#
# A script could make up the word `vault`, and pass it as `dmF1bHQ=` to a tool, which returns what it
# decodes. The word is the script's own, and so proves nothing:
#
#     from_base64_and_hex("key dmF1bHQ=")    -> ["vault"]
#     from_base64_and_hex("7661756c74")      -> ["vault"]

_LEAST_CODE_CHARS: Final = 6
"""The shortest base64 or hexadecimal code, in characters.
Ordinary words look like shorter codes."""
_MAX_PADDING: Final = 2
"""How many signs `=` a base64 code may have at its end. They fill it up to four characters."""


def _character_of_code(character: str) -> str:
    """Return a character that a code may have as it is, and a blank for any other one."""
    return character if character.isalnum() or character in "_+/=-" else " "


_CODE_CHARACTERS: Final = CharacterTable(_character_of_code)


def _from_base64_and_hex(text: str) -> list[str]:
    """Return the texts that the base64 and hexadecimal codes in a text stand for."""
    texts: list[str] = []
    for word in text.translate(_CODE_CHARACTERS).split():
        if len(word) < _LEAST_CODE_CHARS:
            continue
        for decoded in (_from_base64(word), _decoded(word, bytes.fromhex)):
            if decoded is not None:
                texts.append(decoded)
    return texts


def _from_base64(word: str) -> str | None:
    """Return the text that a base64 code stands for; None if a word is not a code."""
    code = word.rstrip("=")
    padding = len(word) - len(code)
    if "=" in code or padding > _MAX_PADDING or len(code) < _LEAST_CODE_CHARS:
        return None
    url_safe = code.replace("+", "-").replace("/", "_")
    # A tool may leave out the padding. The decoder ignores padding that is not needed.
    return _decoded(url_safe + "=" * _MAX_PADDING, base64.urlsafe_b64decode)


def _decoded(code: str, decode: Callable[[str], bytes]) -> str | None:
    """Decode a code to a readable text. Return None if that is not possible."""
    try:
        text = decode(code).decode("utf-8")
    except ValueError:
        return None
    is_readable = all(char.isprintable() or char.isspace() for char in text)
    return text if is_readable else None


# A text as a tool may echo it: with its escapes resolved, or written as JSON.
#
# What a script has passed to a tool is not a fact, even if the tool prints it in another form. So a
# result is compared with each form of the passed text. The escape `\u00e9` stands for `é`:
#
#     without_escapes("caf\u00e9")   -> "café", if the tool resolves escapes
#     as_json("café")                 -> ['"caf\u00e9"', '"café"'], if the tool returns JSON

_ESCAPES: Final = re2.compile(r"(?:\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[bfnrt]))+")
"""Escapes in a row, such as `\\u00e9\\n`. A tool may print the characters that they
stand for. They are resolved together, because an emoji has two: `\\ud83d\\ude00` is 😀."""


def without_escapes(text: str) -> str:
    """Return a text with its escapes resolved: `caf\\u00e9 -> café`, `caf\\xe9 -> café`."""

    def resolve(match: re2._Match) -> str:
        # JSON can resolve them, except `\xe9`, which it writes as `\u00e9`.
        json_escapes = match[0].replace("\\x", "\\u00")
        return str(json.loads(f'"{json_escapes}"'))

    # RE2 refuses a half of a surrogate pair, which `encodable` replaces by `?`.
    return str(_ESCAPES.sub(resolve, encodable(text)))


def as_json(text: str) -> list[str]:
    """Return a text as a tool writes it in JSON; nothing if JSON adds only the quotes around it.

    Some tools escape letters such as `é`, and some do not, so for these there are two forms.
    """
    has_signs_to_escape = not text.isprintable() or "\\" in text or '"' in text
    if text.isascii():
        return [json.dumps(text)] if has_signs_to_escape else []
    return [json.dumps(text), json.dumps(text, ensure_ascii=False)]


# Joins the parts of words that a script passes to a tool in pieces.
#
# A script could make up the word `vault`, and call a database with `select 'va' || 'ult'`, which
# returns the whole word. It is the script's own, and so proves nothing:
#
#     select 'va' || 'ult'   -> select 'vault'

_JOINING_OPERATOR: Final = re2.compile(r"[\s\pZ'\"]*(?:\|\||[+&])[\s\pZ'\"]*")
"""An operator that joins texts and numbers in most query languages, with the blanks and quotation marks
beside it: the `' || '` of `'va' || 'ult'`."""


# Finds the words that a script passes to a tool character by character.
#
# A script could make up the word `vat`, and pass it in letters or in their codes. A tool may return the
# whole word, which is the script's own, and so proves nothing:
#
#     spelled_words("['v', 'a', 't']")                    -> ["vat"]
#     from_character_codes("select char(118, 97, 116)")   -> ["vat"]

_LEAST_LETTERS: Final = 3
"""The fewest single letters in a row that may spell a word. Other characters may separate them."""
_MOST_GAP_CHARS: Final = 8
"""The most characters between two letters of a spelled word. `'v', 'a'` has four: `', '`."""
_CHARACTER_CODES: Final = re2.compile(r"(?:[0-9]{2,6}[\s,;]{1,3}){2,}[0-9]{2,6}")
"""Three or more numbers in a row, which may be character codes: `118, 97, 116`. They have
at most six digits, as `chr` takes no number above 1,114,111."""


def _spelled_words(text: str) -> list[str]:
    """Return the words that single letters or digits in a row spell: `['v', 'a', 't'] -> vat`."""
    words: list[str] = []
    letters = ""  # of the word that is spelled at this place
    for is_word, chars in groupby(text, str.isalnum):
        run = "".join(chars)
        if is_word and len(run) == 1:
            letters += run
        elif is_word or len(run) > _MOST_GAP_CHARS:
            # A longer word, or a wide gap, ends a spelled word. A short gap is passed over.
            words.append(letters)
            letters = ""
    words.append(letters)
    return [word for word in words if len(word) >= _LEAST_LETTERS]


def _from_character_codes(text: str) -> list[str]:
    """Return the texts that numbers in a row spell as character codes: `118, 97, 116 -> vat`."""
    texts: list[str] = []
    for match in _CHARACTER_CODES.finditer(text):
        numbers = match[0].replace(",", " ").replace(";", " ").split()
        texts.append("".join(chr(int(number)) for number in numbers))
    return texts


# Returns the forms in which a tool may echo a text that a script passed to it.
#
# An answer may only state what the trial has read. A script could cheat: it passes the code
# `dmF1bHQ=` to a tool that decodes it, and cites the result, `vault`. But this word is the script's
# own. To recognise such words in a result, what a script passes is brought into each form in which a
# tool may return it: with escapes resolved or added, with parts joined, or decoded.

_MOST_DECODED_CHARS: Final = 100_000
"""The longest text, in characters, in which joined parts and codes are looked for. This is slow."""


def forms_of(text: str) -> list[str]:
    """Return every form in which a tool may echo a text, each once, the text itself first.

    | a script passes     | a tool returns | found by                |
    | ------------------- | -------------- | ----------------------- |
    | `é`                 | `\\u00e9`      | `as_json`               |
    | `caf\\u00e9`        | `café`         | `without_escapes`       |
    | `R&amp;D`           | `R&D`          | `html.unescape`         |
    | `caf%C3%A9`         | `café`         | `unquote`               |
    | `['v', 'a', 't']`   | `vat`          | `_spelled_words`         |
    | `old_vault`         | `old vault`    | `replace`               |
    | `'va' + 'ult'`      | `'vault'`      | `_JOINING_OPERATOR`     |
    | `118, 97, 116`      | `vat`          | `_from_character_codes`  |
    | `dmF1bHQ=`          | `vault`        | `_from_base64_and_hex`   |
    """
    # `encodable` replaces characters that UTF-8 and RE2 refuse: a half of a surrogate pair
    # without the other. A decoded form may have one even if the text has none.
    text = encodable(text)
    forms = [text, *as_json(text)]
    # Most texts have none of these signs, and so none of these forms.
    if "\\" in text:
        forms.append(without_escapes(text))
    if "&" in text:
        forms.append(html.unescape(text))
    if "%" in text:
        forms.append(unquote(text))
    forms += _spelled_words(text)
    if "_" in text:
        forms.append(text.replace("_", " "))
    if len(text) <= _MOST_DECODED_CHARS:
        if _JOINING_OPERATOR.search(text) is not None:
            forms.append(str(_JOINING_OPERATOR.sub("", text)))
        forms += _from_character_codes(text)
        forms += _from_base64_and_hex(text)

    distinct_forms = dict.fromkeys(encodable(form) for form in forms)
    return [form for form in distinct_forms if form]
