r"""Reads the fields of an action leniently, because models write them in many forms.

| field | a model writes | read as |
|---|---|---|
| state | `null` | empty |
| plan | `"read\nanswer"` | `["read", "answer"]` |
| done | `"Yes"` | True |
| code | `["a = 1", "print(a)"]` | `a = 1`, a newline, `print(a)` |
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from controlplane.gates.python_syntax import parse_program
from controlplane.sandbox.interface import well_formed

# Splits Python code into tokens, to find where its strings begin and end.
#
# The code need not be valid: models put line breaks inside strings, for example. Python's own
# tokenizer refuses such code.


@dataclass(frozen=True, slots=True)
class _CodeToken:
    """A piece of Python code: a quotation mark, an escape, a comment, or any other character."""

    text: str
    quote: str
    """The quotation mark of the string to which the token belongs: `'`. Empty outside of
    strings, and for the mark that ends a string."""


def tokens_of(code: str) -> Iterator[_CodeToken]:
    r"""Yield the tokens of code, which need not be valid. Joined, they are the code again.

    | tokens of `a="\n"#x` | `a` | `=` | `"` | `\n` | `"` | `#x` |
    |---|---|---|---|---|---|---|
    | their `quote` | | | `"` | `"` | | |
    """
    quote = ""
    position = 0
    while position < len(code):
        text = code[position]

        # In a string: an escape, or the string's end.
        if quote:
            if text == "\\":
                text = code[position : position + 2]
            elif code.startswith(quote, position):
                text = quote
                quote = ""

        # Outside of strings: the start of a string, or a comment.
        elif text in ("'", '"'):
            tripled = text * 3
            if code.startswith(tripled, position):
                text = tripled
            quote = text
        elif text == "#":
            text = code[position:].partition("\n")[0]
        yield _CodeToken(text, quote)
        position += len(text)


# Tells if a text is a Python program, and decodes programs that are written as JSON strings.
#
# `print(1)` is a program, and `print(1)}` is not. In a JSON string, a newline of a program is
# written as `\n`, which `unescaped` decodes.

_LANGUAGE_NAMES: Final = ("python", "python3", "py")
"""Words after a fence, or alone on the first line, that name the language."""
FENCE: Final = "```"
"""The mark before and after code in Markdown."""
_MAX_PROGRAM_CHARS: Final = 100_000
"""Longer texts are not parsed, because Python's parser needs much memory for them."""


_NO_BREAK_BLANK: Final = "\u00a0"


def _with_plain_blanks(code: str) -> str:
    """Return code with blanks in place of its no-break blanks, which Python refuses.

    Those in strings and comments are kept.
    """
    if _NO_BREAK_BLANK not in code or len(code) > _MAX_PROGRAM_CHARS:
        return code
    pieces = []
    for token in tokens_of(code):
        is_blank = token.text == _NO_BREAK_BLANK and not token.quote
        pieces.append(" " if is_blank else token.text)
    return "".join(pieces)


def is_program(code: str) -> bool:
    """Return True if `code` is a valid Python program of at most 100,000 characters.

    No-break blanks count as blanks, which `repaired_code` makes of them.
    """
    if len(code) > _MAX_PROGRAM_CHARS:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            parse_program(_with_plain_blanks(code))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def unescaped(text: str) -> str | None:
    """Return a text after decoding its JSON escapes: `a\\tb` -> `a`, a tab, `b`.

    Returns None if the text could not stand in a JSON string.
    """
    with suppress(ValueError):
        return str(json.loads(f'"{text}"', strict=False))
    return None


# Repairs code whose escapes are wrong, because it was written into a JSON string.
#
# A newline in a JSON string is written as `\n`, and a quotation mark as `\"`. Models write these
# escapes once too often, or not often enough:
#
# | code | program | mistake |
# |---|---|---|
# | `look(\"a\")` | `look("a")` | everything was escaped twice |
# | `look('`, a newline, `')` | `look('\n')` | a `\n` in a string needs two backslashes, and had one |


def _program_without_doubled_escapes(code: str) -> str | None:
    r"""Return code that is still written as a JSON string, as a program; None if it is not one.

    Some models escape their code twice for the JSON string that it is in, so that one level of
    escapes remains when the JSON is read:

    | code | program |
    |---|---|
    | `look(\"a\")\nsend()` | `look("a")`, a newline, `send()` |
    | `look("a")\nsend()` | the same: the model escaped only the newline twice |
    """
    if "\\n" not in code and '\\"' not in code:
        return None
    first_reading = code  # as in the first row
    second_reading = _with_escaped_quotes(code)  # as in the second row
    for json_string in (first_reading, second_reading):
        program = unescaped(json_string)
        if program is not None and is_program(program):
            return program
    return None


def _with_escaped_quotes(code: str) -> str:
    r"""Return code in which each `"` has a backslash before it, as in a JSON string.

    `look("a", \"b\")` -> `look(\"a\", \"b\")`
    """
    with_bare_quotes = code.replace('\\"', '"')
    return with_bare_quotes.replace('"', '\\"')


def _program_with_escaped_newlines(code: str) -> str | None:
    r"""Return code with `\n` in place of the newlines in its strings; None if it is no program.

    `look('`, a newline, `')` -> `look('\n')`

    For the `\n` in a string, a model must write two backslashes in JSON. With only one, the
    string has a newline, which a string in `'` or `"` must not have.
    """
    pieces: list[str] = []
    for token in tokens_of(code):
        # `quote` is how the string of the token begins: `'`, `"` or three of them. Empty outside.
        is_in_short_string = token.quote in ("'", '"')
        if token.text == "\n" and is_in_short_string:
            pieces.append("\\n")
        else:
            pieces.append(token.text)
    program = "".join(pieces)
    return program if is_program(program) else None


# Repairs code that is not a valid program, such as `print(total)}`.
#
# Models write code in JSON strings, and make mistakes with escapes and braces. A repair is used
# only if it makes a valid program of code that was none. So it never changes the meaning of a
# program.

_OBJECT_ENDS: Final = ("}", '"}', '"\n}')
"""The ends of a JSON object that models write after the code in it."""


def _repaired_program(code: str) -> str | None:
    r"""Return the program that the first fitting repair makes of code; None if none does.

    | code | program | repair |
    |---|---|---|
    | prose with one fence in it | the text in the fence | `_program_in_fence` |
    | `look(\"a\")` | `look("a")` | `_program_without_doubled_escapes` |
    | `look('`, a newline, `')` | `look('\n')` | `_program_with_escaped_newlines` |
    | `look()}` | `look()` | `_program_without_object_end` |
    """
    program = _program_in_fence(code)
    if program is None:
        program = _program_without_doubled_escapes(code)
    if program is None:
        program = _program_with_escaped_newlines(code)
    if program is None:
        program = _program_without_object_end(code)
    return program


def _program_in_fence(code: str) -> str | None:
    """Return the program in a fence in prose; None if the text has no fence, or several."""
    parts = code.split(FENCE)
    has_one_fence = len(parts) == 3  # before, inside and after it
    if not has_one_fence:
        return None
    block = parts[1]
    language, newline, program = block.partition("\n")
    if not newline or language.strip().lower() not in ("", *_LANGUAGE_NAMES):
        return None
    return program if program.strip() and is_program(program) else None


def _program_without_object_end(code: str) -> str | None:
    """Return code without the end of the JSON object after it, if that makes it a program.

    `"code": "print(total)}"` -> `print(total)`
    """
    stripped = code.rstrip()
    for end in _OBJECT_ENDS:
        program = stripped.removesuffix(end)
        if program != stripped and is_program(program):
            return program
    return None


# Repairs the form of code in a reply, such as a fence around it or wrong escapes.
#
# `python`, a newline, `print(1)}` -> `print(1)`
#
# A repair never changes the meaning of a valid program. It removes a wrapper, or it is
# used only if the code is not a valid program before it and is one after it.

_BYTE_ORDER_MARK: Final = "\ufeff"


def repaired_code(code: str) -> str:
    """Return the program in `code`.

    Removes a fence (three backticks) around it, and a first line `python`. If the rest is
    not a valid program, makes the first repair that leads to one. If none does, the rest is
    returned as it is. In either case, no-break blanks become blanks.
    """
    code = _without_fence(code.removeprefix(_BYTE_ORDER_MARK))
    code = _without_language_line(code)
    if not is_program(code):
        program = _repaired_program(code)
        if program is not None:
            code = program
    return _with_plain_blanks(code)


def _without_fence(code: str) -> str:
    """Return the code inside a fence that surrounds all of it; else the code unchanged.

    A fence begins with three backticks, and maybe `python`. The closing fence may be missing,
    if the reply was cut off.
    """
    first_line, _, rest = code.strip().partition("\n")
    if not first_line.startswith(FENCE):
        return code
    if first_line.removeprefix(FENCE).strip().lower() not in ("", *_LANGUAGE_NAMES):
        return code
    if rest.endswith(FENCE):
        rest = rest.removesuffix(FENCE).removesuffix("\n")
    # If there is another fence, the first one does not surround all of the code.
    return code if FENCE in rest else rest


def _without_language_line(code: str) -> str:
    """Return the code without a first line that has only the language's name.

    `python`, a newline, `print(1)` -> `print(1)`
    """
    first_line, newline, rest = code.lstrip().partition("\n")
    is_language = first_line.strip().lower() in _LANGUAGE_NAMES
    return rest if is_language and newline else code


MAX_PLAN_STEPS: Final = 5
"""A plan is only recorded, so further steps are left out."""


def state_of(value: object) -> str:
    """Return a state as text. Any type is accepted, because a state is only a remark."""
    return "" if value is None else str(value)


def steps_of(value: object) -> list[str]:
    """Return a plan as a list of steps. Any type is accepted, because a plan is only a remark."""
    if value is None:
        return []
    if isinstance(value, str):
        steps = [line.strip() for line in value.splitlines() if line.strip()]
    elif isinstance(value, list | tuple):
        steps = [str(step) for step in value]
    else:
        steps = [str(value)]
    return steps[:MAX_PLAN_STEPS]


def is_yes(value: object) -> bool:
    """Return True if a value means yes: `true`, `"Yes"` or `1`."""
    return str(value).strip().casefold() in ("true", "yes", "1")


def program_of(value: object) -> object:
    """Return code as one text, in the form of a program if a repair can give it this form.

    A value that is neither a text nor a list of lines is returned unchanged, and the
    validation refuses it.
    """
    if isinstance(value, list | tuple) and all(isinstance(line, str) for line in value):
        value = "\n".join(line.removesuffix("\n") for line in value)
    if not isinstance(value, str):
        return value
    # Lone surrogates are replaced, because they cannot be encoded.
    return repaired_code(well_formed(value))
