"""Finds the objects in a text, written as JSON or as Python, outside of a model's thinking.

The time of all this grows linearly with the length of any text.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from agent import REPLY

STATE_NAMES: Final = ("state", "current_state")
PLAN_NAMES: Final = ("plan", "plan_remaining_steps_brief")
DONE_NAMES: Final = ("done", "task_completed")
CODE_NAMES: Final = ("code", "python_code", "script", "python")
"""Accepted names of the code, the requested one first."""
OTHER_NAMES: Final = frozenset({*STATE_NAMES, *PLAN_NAMES, *DONE_NAMES})
"""The names of the fields beside the code."""
LONGEST: Final = 400_000
"""Max characters of a text that are looked at."""

_CODE: Final = "|".join(CODE_NAMES)
_BRACE: Final = re.compile(r"""\{(?=\s*+(?:["']|\w++\s*+:))""")
_KNOWN_KEY: Final = re.compile(rf"""\{{\s*+["']?(?:{_CODE}|{"|".join(sorted(OTHER_NAMES))})["']?\s*+:""")
CODE_KEY: Final = re.compile(rf"""["']?\b(?:{_CODE})\b["']?\s*+:""")
# A stray quote before a key makes the key's quotes look like another string's, so one of them is enough.
_MARK: Final = re.compile(
    rf"""(?P<code>(?:"(?:{_CODE})"|'(?:{_CODE})'|\b(?:{_CODE})["']?)\s*+:)|(?P<quote>\"{{3}}|'{{3}}|["'])|[{{}}]"""
)
_REST_OF_STRING: Final = {
    quote: re.compile(rf"(?:[^\\{quote[0]}]++|\\.{more})*{quote}", re.S)
    for quote, more in (('"', ""), ("'", ""), ('"""', '|"(?!"")'), ("'''", "|'(?!'')"))
}
_JSON_WORDS: Final = {"True": "true", "False": "false", "None": "null", ",": ""}
_PYTHON_WORDS: Final = {"true": "True", "false": "False", "null": "None"}
_TOKEN: Final = re.compile(
    r""""(?:[^"\\]++|\\.)*"|'(?:[^'\\]++|\\.)*'|\b(?:True|False|None|true|false|null)\b|,(?=\s*+[}\]])""", re.S
)
"""A string, a word of JSON or Python, or a comma before a closing bracket."""
_NAMES: Final = r"(?:\w+[:_])?(?:think|thinking|thoughts?|reasoning|reflection|analysis)"
_OPENING: Final = (
    rf"<{_NAMES}>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel>thought"
    r"|<\|channel\|>\s*+analysis\s*+<\|message\|>"
)
_CLOSING: Final = (
    rf"</{_NAMES}>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<channel\|>|<\|channel\|>\s*+final\s*+<\|message\|>"
)
"""Marks of thinking: tags; Mistral's, Kimi's and Sky-T1's; OpenAI's harmony format; Gemma 4's channels."""
_TAG: Final = re.compile(rf"(?P<opening>{_OPENING})|(?P<closing>{_CLOSING})", re.I)
_ENDS_A_THOUGHT: Final = re.compile(rf"{_CLOSING}|<\|end\|>|(?=<\|start\|>|<\|channel\|>)", re.I)
_BARE_THOUGHTS: Final = (
    ("analysis", "assistantfinal"),  # the harmony format without its marks
    ("Here is my thought process:", "Here is my response:"),  # Granite
    ("Here's my thought process:", "Here's my response:"),
)
"""Words that open a reply with thinking, and words that end the thinking."""


@dataclass(frozen=True, slots=True)
class WrittenObject:
    """An object in a text. The value is None if it cannot be read."""

    start: int
    end: int | None
    """The position after the closing brace; None if there is none."""
    value: dict[str, object] | None
    holds_code: bool
    """True if it has a key for code, outside of strings."""
    is_action: bool
    """True if its first key is one of an action."""


class _TwoCodes(ValueError):
    """An object has the key `code` twice."""


def objects_in(text: str) -> Iterator[WrittenObject]:
    """Yield the objects of `text` in order, without those inside a closed one.

    At most 50 are tried, since each may cost a walk to the end of the text.
    """
    position = 0
    for opening in islice(_BRACE.finditer(text), 50):
        start = opening.start()
        if start < position:
            continue
        end, holds_code = _span(text, start)
        value = read_object(text[start:end]) if end is not None else None
        position = end or position
        yield WrittenObject(start, end, value, holds_code, _KNOWN_KEY.match(text, start) is not None)


def _span(text: str, start: int) -> tuple[int | None, bool]:
    """Walk from a brace to the one that closes it, past strings of both quotes and at most 100 braces deep; say if a
    key for code was there."""
    depth, at, holds_code = 0, start, False
    while (mark := _MARK.search(text, at)) is not None:
        at = mark.end()
        if mark["code"]:
            holds_code = True
        elif mark["quote"]:
            rest = _REST_OF_STRING[mark["quote"]].match(text, at)
            if rest is None:
                break
            at = rest.end()
        else:
            depth += 1 if mark[0] == "{" else -1
            if depth == 0:
                return at, holds_code
            if depth > 100:
                break
    return None, holds_code


def read_object(text: str) -> dict[str, object] | None:
    """Return the object that is the whole of `text`, as JSON or Python, also with the words of the other and trailing
    commas; None if there is none, or if it has two codes."""
    for read, words in ((_json, {}), (_python, {}), (_json, _JSON_WORDS), (_python, _PYTHON_WORDS)):
        try:
            value = read(_respelt(text, words))
        except _TwoCodes:
            return None
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if isinstance(value, dict):
            return value
    return None


def _respelt(text: str, words: dict[str, str]) -> str:
    return _TOKEN.sub(lambda token: words.get(token[0], token[0]), text) if words else text


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the object of these members. Raises `ValueError` if it has its code twice."""
    if sum(name in CODE_NAMES for name, _ in pairs) > 1 and len({name for name, _ in pairs}) < len(pairs):
        raise _TwoCodes
    return dict(pairs)


def _json(text: str) -> object:
    # Raw newlines inside strings are what models write most often.
    return json.loads(text, strict=False, object_pairs_hook=unique)


def _python(text: str) -> object:
    if len(text) > 100_000:
        return None
    tree = ast.parse(text, REPLY, "eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            unique([(str(getattr(key, "value", "")), None) for key in node.keys])
    return ast.literal_eval(tree)


def without_thoughts(text: str) -> str:
    """Return `text` without thinking: without text between tags of thinking, or before a closing tag alone.

    A tag inside an object is a part of the object. Thinking that does not end hides everything after it.
    """
    for begins, ends in _BARE_THOUGHTS:
        if text.lstrip().startswith(begins) and ends in text:
            text = text.partition(ends)[2]
    if _TAG.search(text) is None:
        return text
    objects = [(written.start, written.end) for written in objects_in(text[:LONGEST]) if written.end is not None]
    said, said_from, position = list[str](), 0, 0
    while (tag := _TAG.search(text, position)) is not None:
        around = next((end for start, end in objects if start >= said_from and start < tag.start() < end), None)
        if around is not None:
            position = around
            continue
        if tag["closing"]:
            said.clear()
            said_from = position = tag.end()
            continue
        said.append(text[said_from : tag.start()])
        closing = _ENDS_A_THOUGHT.search(text, tag.end())
        said_from = position = closing.end() if closing else len(text)
    return "".join(said) + text[said_from:]


def object_of(text: str) -> dict[str, Any] | None:
    """Return the object; a list counts as the object `{"calls": [...]}`. None if no object can be read."""
    said = without_thoughts(text[:LONGEST]).strip()
    try:
        value = json.loads(said, strict=False)
    except (ValueError, RecursionError):
        return next((written.value for written in objects_in(said) if written.value is not None), None)
    if isinstance(value, list):
        return {"calls": value}
    return value if isinstance(value, dict) else None
