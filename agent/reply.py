"""Turns a model's text into the one action a turn can hold: JSON first, then repairs of form without another call.

Nothing uncertain is executed: code that was cut off, written twice or cannot be read is not used. Of an object that
cannot be read the code alone is used, if it is one whole string and a program. The time of all this grows linearly with
the length of any text.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Annotated, Final

import re2
from pydantic import (
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
)

from controlplane.agent import REPLY
from controlplane.agent.code_repairs import is_program, repaired_code, unescaped
from controlplane.agent.fenced_reply import state_line, untagged_block
from controlplane.agent.model import TOOL_NAME, Reply, ToolCall, object_schema
from controlplane.sandbox.interface import bounds, well_formed

SCHEMA: Final = object_schema(
    {
        "state": {"type": "string", "maxLength": 400},
        "plan": {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 5},
        "done": {"type": "boolean"},
        "code": {"type": "string"},
    }
)
"""JSON schema of an action, for endpoints that constrain their output. State and plan have bounds, because small models
fill them without end; code has none, because code that a bound cuts off looks whole."""
_NAMES: Final = {
    "state": ("state", "current_state"),
    "plan": ("plan", "plan_remaining_steps_brief"),
    "done": ("done", "task_completed"),
    "code": ("code", "python_code", "script", "python"),
}
"""Accepted names of an action's fields, the requested one first."""
_CODE_NAMES: Final = _NAMES["code"]
_OTHER_NAMES: Final = frozenset({*_NAMES["state"], *_NAMES["plan"], *_NAMES["done"]})
"""The names of the fields beside the code."""

_CODE: Final = "|".join(_CODE_NAMES)
_BRACE: Final = re2.compile(r"""\{\s*(?:["']|\w+\s*:)""")
_KNOWN_KEY: Final = re2.compile(
    rf"""\{{\s*["']?(?:{_CODE}|{"|".join(sorted(_OTHER_NAMES))})["']?\s*:"""
)
_CODE_KEY: Final = re2.compile(rf"""["']?\b(?:{_CODE})\b["']?\s*:""")
# A stray quote before a key makes the key's quotes look like another string's, so one of them is enough.
_MARK: Final = re2.compile(
    rf"""(?s)(?:"(?:{_CODE})"|'(?:{_CODE})'|\b(?:{_CODE})["']?)\s*:"""
    r"""|\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|\"{3}|'{3}"""
    r"""|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[{}"']"""
)
"""A key for code, a string, a quote that opens a string without an end, or a brace."""
_PYTHON_WORDS: Final = {"true": "True", "false": "False", "null": "None"}
_TOKEN: Final = re2.compile(r"""(?s)"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\b(?:true|false|null)\b""")
"""A string, or a word of JSON."""
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
_BLOCK: Final = re2.compile(r"(?s)```(?i:python3?|py)\b[^\n`]*\n(.*?)```|<code>\n(.*?)\n</code>")
"""A fence of Python, or a pair of tags on lines of their own."""
_XML_CALL: Final = re2.compile(r"""<(?:function|invoke)\b""")
_XML_CODE: Final = re2.compile(
    rf"""(?s)[= "']*(?:name=)?["']?{TOOL_NAME}\b.*?<parameter[^>]*\bcode["']?>\n?(.*?)\n?</parameter>"""
)
"""A call of our tool with its code, from its tool's name on."""
_ESCAPED: Final = re2.compile(r'\{\s*\\"')
_CODE_STRING: Final = re2.compile(
    rf"""(?s){_CODE_KEY.pattern}\s*"((?:[^"\\]|\\.)*)"\s*(?:,\s*(?:"\w+"|'\w+'|\w+)\s*:|,?\s*\}}\s*\z)"""
)
"""Code that is one whole string, with the next key or the end behind it."""
WRITTEN_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Keys under which a tool call written as text holds its arguments."""


class Fault(StrEnum):
    """Why a reply is unusable."""

    CUT_OFF = "cut_off"
    FILTERED = "filtered"
    REFUSED = "refused"
    EMPTY = "empty"
    ONLY_THOUGHTS = "only_thoughts"
    NO_OBJECT = "no_object"
    GARBLED = "garbled"
    WRONG_SHAPE = "wrong_shape"
    NO_CALL = "no_call"


PROSE: Final = (Fault.NO_OBJECT, Fault.NO_CALL)
"""Faults of replies that are plain text."""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A reply without an action, with the text for the model."""

    reason: str
    fault: Fault


Line = Annotated[str, BeforeValidator(lambda value: "" if value is None else str(value))]
"""A state in any form; it is advisory and never worth a lost turn."""
Flag = Annotated[
    bool, BeforeValidator(lambda value: str(value).strip().casefold() in ("true", "yes", "1"))
]
"""A flag in any form, advisory too."""


class Action(BaseModel):
    """One turn of a model: its state, what remains, whether it thinks it is done, and what to run."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: Line = Field("", validation_alias=AliasChoices(*_NAMES["state"]))
    plan: tuple[str, ...] = Field((), validation_alias=AliasChoices(*_NAMES["plan"]))
    done: Flag = Field(False, validation_alias=AliasChoices(*_NAMES["done"]))
    code: str = Field(min_length=1, validation_alias=AliasChoices(*_CODE_NAMES))
    others: int = 0
    """Further actions in the reply, which are not run."""

    @field_validator("plan", mode="before")
    @classmethod
    def plan_as_list(cls, value: object) -> object:
        """Turn a plan in any form into a list of lines; a plan is advisory and never worth a lost turn."""
        if value is None:
            return ()
        if isinstance(value, str):
            return [line.strip() for line in value.splitlines() if line.strip()][:5]
        # A reply in Python's spelling can hold what JSON cannot.
        return [str(item) for item in (value if isinstance(value, list | tuple) else [value])][:5]

    @field_validator("code", mode="before")
    @classmethod
    def code_as_text(cls, value: object) -> object:
        """Return the code meant by a list of lines, by a fence around all of the code, or by one escaping too many."""
        if (
            isinstance(value, list | tuple)
            and value
            and all(isinstance(item, str) for item in value)
        ):
            value = "\n".join(item.removesuffix("\n") for item in value)
        if not isinstance(value, str):
            return value
        return repaired_code(well_formed(value))


FAULT_TEXTS: Final[Mapping[str, str]] = {
    Fault.CUT_OFF: "was cut off at the output limit",
    Fault.FILTERED: "was withheld by the endpoint's filter",
    Fault.REFUSED: "was a refusal",
    Fault.EMPTY: "was empty",
    Fault.ONLY_THOUGHTS: "held thinking alone",
    Fault.NO_OBJECT: "held no JSON object",
    Fault.GARBLED: "held JSON that cannot be read",
    Fault.WRONG_SHAPE: "held an object without code, a string with the Python to run",
    Fault.NO_CALL: "called no tool",
}


def action_call(reply: Reply) -> ToolCall | None:
    """Return the tool call that carries the action, which names our tool or none; None if the reply's text does."""
    named = (call for call in reply.tool_calls if call.name.rpartition(".")[2] in (TOOL_NAME, ""))
    return next((call for call in named if call.arguments.strip() not in ("", "null", "{}")), None)


def action_of(text: str, finish_reason: str = "stop") -> Action | Unusable:
    """Return the action in `text`: JSON as asked, else the first object with code in it, a call written in XML, or a
    lone fence of Python.

    Prose is never an action, and thoughts are none. A reply cut off by its length is never salvaged. Raises nothing.
    """
    if finish_reason == "length":
        return _unusable(
            Fault.CUT_OFF,
            ", so nothing of it was run: do less in this step, keep state and plan brief",
        )
    if finish_reason == "refusal":
        return _unusable(
            Fault.REFUSED, f", {' '.join(text.split())[:300]!r}: go on with what can be done"
        )
    if not text.strip():
        return _unusable(Fault.FILTERED if finish_reason == "content_filter" else Fault.EMPTY)
    said = without_thoughts(text)[: bounds.MOST_PARSED_CHARS]
    found, others = _first_action(said) if said.strip() else (_unusable(Fault.ONLY_THOUGHTS), 0)
    if isinstance(found, Unusable):
        return found
    try:
        return Action.model_validate(found | {"others": others})
    except ValidationError:
        return _unusable(Fault.WRONG_SHAPE)


def _unusable(fault: Fault, said: str = "") -> Unusable:
    form = (
        "Reply with one JSON object {state, plan, done, code} alone, quotes and newlines in its "
        "strings escaped"
    )
    if fault is Fault.GARBLED:
        form += '; or with a line "state: ..." and then the script in one ```python fence'
    form += "."
    return Unusable(f"The reply {FAULT_TEXTS[fault]}{said}. {form}", fault)


def _first_action(
    text: str, *, may_be_escaped: bool = True
) -> tuple[dict[str, object] | Unusable, int]:
    """Return the first action of `text`, and how many follow it. An unreadable object hides those after it."""
    bare: list[WrittenObject] = []
    actions: list[dict[str, object]] = []
    other_names: list[str] = []
    for written in objects_in(text):
        value = _unwrapped(written.value or {})
        if _holds_code(value) and value.get("code", "x") not in ("", None):
            actions.append(value)
        elif actions:
            continue
        elif written.value is None and written.is_action:
            return _mended(text, written), 0
        elif _OTHER_NAMES & value.keys():
            bare.append(written)
        elif value and not other_names:
            other_names = list(value)
    if actions:
        return actions[0], len(actions) - 1
    if len(bare) == 1 and (beside := _code_beside(text, bare[0])) is not None:
        return {**(bare[0].value or {}), "code": beside}, 0
    opening = _ESCAPED.search(text) if may_be_escaped else None
    if opening is not None and (once := unescaped(text[opening.start() : text.rfind("}") + 1])):
        return _first_action(well_formed(once), may_be_escaped=False)
    if bare:
        return _unusable(Fault.WRONG_SHAPE), 0
    if written_call := _call_in_xml(text):
        return written_call
    code = _code_beside(text)
    if code is None:
        code = untagged_block(text)
    if code is not None:
        return {"state": state_line(text), "code": code}, 0
    if other_names:
        names = ", ".join(repr(name[:40]) for name in other_names[:5])
        return _unusable(Fault.WRONG_SHAPE, f" (it has {names})"), 0
    return _unusable(Fault.NO_OBJECT), 0


def _call_in_xml(text: str) -> tuple[dict[str, object], int] | None:
    """Return the code of the first call, if it is of our tool and whole, written as `<function=NAME><parameter=NAME>`
    or with `name="..."`, as Qwen3-Coder and MiniMax do, and how many calls follow."""
    calls = _XML_CALL.split(text)[1:]
    code = _XML_CODE.match(calls[0]) if calls else None
    return ({"code": code[1]}, len(calls) - 1) if code else None


def _mended(text: str, written: WrittenObject) -> dict[str, object] | Unusable:
    """Return the code of an unreadable object, if it is written once from there on, as one whole string before another
    key or the end, and is a program."""
    whole, fault = text[written.start : written.end], "not closed"
    if written.end is not None:
        found = _CODE_STRING.search(whole)
        before, code = (whole[: found.start()], unescaped(found[1])) if found else ("", None)
        is_inner = before.count("{") != 1 or before.count("[") != before.count("]")
        is_alone = len(_CODE_KEY.findall(text, written.start)) == 1 and not is_inner
        if is_alone and code is not None and code.strip() and is_program(code):
            return {"code": code}
        fault = "ambiguous, with its code twice"
        try:
            json.loads(whole, strict=False)
        except json.JSONDecodeError as error:
            fault = f"no JSON ({error.msg} near {' '.join(whole[max(0, error.pos - 20) : error.pos + 20].split())!r})"
        except RecursionError:
            fault = "nested too deeply"
    return _unusable(Fault.GARBLED, f": its first object is {fault}, so nothing was run")


def _unwrapped(value: dict[str, object]) -> dict[str, object]:
    """Return the action inside of `value`: the arguments of a call of our tool, or the only thing that it holds."""
    if _holds_code(value):
        return value
    function = value.get("function")
    call = function if isinstance(function, dict) else value
    is_call = TOOL_NAME in (call.get("name"), function, value.get("tool"))
    if is_call:
        inner = next((call[argument] for argument in WRITTEN_ARGUMENTS if argument in call), None)
        inner = read_object(inner) if isinstance(inner, str) else inner
    else:
        inner = next(iter(value.values())) if len(value) == 1 else None
    if isinstance(inner, dict) and _holds_code(inner) and (is_call or _OTHER_NAMES & inner.keys()):
        return inner
    return value


def _holds_code(value: Mapping[str, object]) -> bool:
    """Say whether it has code under the name asked for, or under another beside other parts of an action."""
    return "code" in value or bool(
        _OTHER_NAMES & value.keys() and any(code_name in value for code_name in _CODE_NAMES)
    )


def _code_beside(text: str, written: WrittenObject | None = None) -> str | None:
    """Return the code of the only block of Python in a text; None if it is inside `written`, an object without code."""
    blocks = list(_BLOCK.finditer(text))
    is_whole = text.count("```") % 2 == 0 and text.count("<code>") == text.count("</code>")
    if len(blocks) != 1 or not is_whole:
        return None
    inside = written is not None and written.start < blocks[0].start() < (written.end or 0)
    code = str(blocks[0][1] or blocks[0][2] or "")
    return code if code.strip() and not inside else None


@dataclass(frozen=True, slots=True)
class WrittenObject:
    """An object in a text. The value is None if it cannot be read."""

    start: int
    end: int | None
    """The position after the closing brace; None if there is none."""
    value: dict[str, object] | None
    is_action: bool
    """True if it has a key for code, outside of strings, or if it is not closed and its first key is an action's."""


def objects_in(text: str) -> Iterator[WrittenObject]:
    """Yield the objects of `text` in order, without those inside a closed one.

    At most 50 are tried, since each may cost a walk to the end of the text.
    """
    position = 0
    for opening in islice(_BRACE.finditer(text), 50):
        start = opening.start()
        if start < position:
            continue
        end, is_action = _span(text, start)
        value = read_object(text[start:end]) if end is not None else None
        position = end or position
        is_action = is_action or (end is None and _KNOWN_KEY.match(text, start) is not None)
        yield WrittenObject(start, end, value, is_action)


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
    """Return the object that is the whole of `text`, as JSON, as Python, or as both mixed; None if there is none, or if
    it has two codes."""
    for read in (_json, _python, _python_with_json):
        with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            if isinstance(value := read(text), dict):
                return value
    return None


def _python_with_json(text: str) -> object:
    # A string of JSON may hold raw newlines, which are none of Python's.
    return _python(
        _TOKEN.sub(lambda token: _PYTHON_WORDS.get(token[0], token[0].replace("\n", "\\n")), text)
    )


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if sum(name in _CODE_NAMES for name, _ in pairs) > 1 and len({name for name, _ in pairs}) < len(
        pairs
    ):
        msg = "it has two codes"
        raise ValueError(msg)
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
    text_read = text[: bounds.MOST_PARSED_CHARS]
    objects = [
        (written.start, written.end) for written in objects_in(text_read) if written.end is not None
    ]
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
