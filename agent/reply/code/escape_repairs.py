r"""Repairs code whose escapes are wrong, because it was written into a JSON string.

A newline in a JSON string is written as `\n`, and a quotation mark as `\"`. Models write these
escapes once too often, or not often enough:

| code | program | mistake |
|---|---|---|
| `look(\"a\")` | `look("a")` | everything was escaped twice |
| `look('`, a newline, `')` | `look('\n')` | a `\n` in a string needs two backslashes, and had one |
"""

from __future__ import annotations

from controlplane.agent.reply.code.code_tokens import tokens_of
from controlplane.agent.reply.code.program_text import is_program, unescaped


def program_without_doubled_escapes(code: str) -> str | None:
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


def program_with_escaped_newlines(code: str) -> str | None:
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
