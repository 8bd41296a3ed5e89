"""Finds the objects in a text, written as JSON or as Python, outside of a model's thinking.

The time of all this grows linearly with the length of any text.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import re2

from agent import REPLY

NAMES: Final = {
    "state": ("state", "current_state"),
    "plan": ("plan", "plan_remaining_steps_brief"),
    "done": ("done", "task_completed"),
    "code": ("code", "python_code", "script", "python"),
}
"""Accepted names of an action's fields, the requested one first."""
CODE_NAMES: Final = NAMES["code"]
OTHER_NAMES: Final = frozenset({*NAMES["state"], *NAMES["plan"], *NAMES["done"]})
"""The names of the fields beside the code."""
LONGEST: Final = 400_000
"""Max characters of a text that are looked at."""

_CODE: Final = "|".join(CODE_NAMES)
_BRACE: Final = re2.compile(r"""\{\s*(?:["']|\w+\s*:)""")
_KNOWN_KEY: Final = re2.compile(rf"""\{{\s*["']?(?:{_CODE}|{"|".join(sorted(OTHER_NAMES))})["']?\s*:""")
CODE_KEY: Final = re2.compile(rf"""["']?\b(?:{_CODE})\b["']?\s*:""")
# A stray quote before a key makes the key's quotes look like another string's, so one of them is enough.
_MARK: Final = re2.compile(
    rf"""(?s)(?:"(?:{_CODE})"|'(?:{_CODE})'|\b(?:{_CODE})["']?)\s*:"""
    r"""|\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|\"{3}|'{3}"""
    r"""|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[{}"']"""
)
"""A key for code, a string, a quote that opens a string without an end, or a brace."""
_JSON_WORDS: Final = {"True": "true", "False": "false", "None": "null"}
_PYTHON_WORDS: Final = {"true": "True", "false": "False", "null": "None"}
_TOKEN: Final = re2.compile(
    r"""(?s)"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b(?:True|False|None|true|false|null)\b|,(\s*[}\]])"""
)
"""A string, a word of JSON or Python, or a comma before a closing bracket."""
_THINKING: Final = r"(?:\w+[:_])?(?:think|thinking|thoughts?|reasoning|reflection|analysis)"
_TAG: Final = re2.compile(
    rf"(?i)(?P<opening><{_THINKING}>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel>thought"
    r"|<\|channel\|>\s*analysis\s*<\|message\|>)"
    rf"|(?P<closing></{_THINKING}>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<channel\|>"
    r"|<\|channel\|>\s*final\s*<\|message\|>)"
    r"|<\|end\|>|(?P<next><\|start\|>|<\|channel\|>)"
)
"""Marks of thinking: tags; Mistral's, Kimi's and Sky-T1's; OpenAI's harmony format; Gemma 4's channels."""
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


def well_formed(text: str) -> str:
    """Return `text` with U+FFFD for every lone surrogate, which UTF-8 cannot encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


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
    depth, holds_code = 0, False
    for mark in _MARK.finditer(text, start):
        if mark[0].endswith(":"):
            holds_code = True
        elif mark[0] in ('"', "'", '"""', "'''") or depth > 100:
            break
        elif mark[0] in "{}":
            depth += 1 if mark[0] == "{" else -1
            if depth == 0:
                return mark.end(), holds_code
    return None, holds_code


def read_object(text: str) -> dict[str, object] | None:
    """Return the object that is the whole of `text`, as JSON or Python, also with the words of the other and trailing
    commas; None if there is none, or if it has two codes."""
    for read, words in ((_json, {}), (_python, {}), (_json, _JSON_WORDS), (_python, _PYTHON_WORDS)):
        try:
            value = read(_respelt(text, words) if words else text)
        except _TwoCodes:
            return None
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
        if isinstance(value, dict):
            return value
    return None


def _respelt(text: str, words: dict[str, str]) -> str:
    return str(_TOKEN.sub(lambda token: token[1] or words.get(token[0], token[0]), text))


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if sum(name in CODE_NAMES for name, _ in pairs) > 1 and len({name for name, _ in pairs}) < len(pairs):
        raise _TwoCodes
    return dict(pairs)


def _json(text: str) -> object:
    # Raw newlines inside strings are what models write most often.
    return json.loads(text, strict=False, object_pairs_hook=_unique)


def _python(text: str) -> object:
    if len(text) > 100_000:
        return None
    tree = ast.parse(text, REPLY, "eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            _unique([(str(getattr(key, "value", "")), None) for key in node.keys])
    return ast.literal_eval(tree)


def without_thoughts(text: str) -> str:
    """Return `text` without thinking: without text between tags of thinking, or before a closing tag alone.

    A tag inside an object is a part of the object. Thinking that does not end hides everything after it.
    """
    text = well_formed(text)
    for begins, ends in _BARE_THOUGHTS:
        if text.lstrip().startswith(begins) and ends in text:
            text = text.partition(ends)[2]
    if _TAG.search(text) is None:
        return text
    objects = [(written.start, written.end) for written in objects_in(text[:LONGEST]) if written.end is not None]
    said, said_from, is_thought = list[str](), 0, False
    for tag in _TAG.finditer(text):
        if is_thought:
            if tag["opening"] is None:
                said_from, is_thought = tag.start() if tag["next"] else tag.end(), False
        elif any(said_from <= start < tag.start() < end for start, end in objects):
            continue
        elif tag["closing"]:
            said.clear()
            said_from = tag.end()
        elif tag["opening"]:
            said.append(text[said_from : tag.start()])
            is_thought = True
    return "".join(said) + ("" if is_thought else text[said_from:])
