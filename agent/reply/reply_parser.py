"""Turns a model's text into the one action a turn can hold: JSON first, then repairs of form without another call.

Nothing uncertain is executed: code that was cut off, written twice or cannot be read is not used. The library
`json_repair` repairs the text around the code; the code is never its guess, but one whole string, a program.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final

import re2
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from agent.model.model_protocol import TOOL_NAME, Reply, ToolCall
from agent.reply import written_objects
from agent.reply.written_objects import (
    CODE_KEY,
    CODE_NAMES,
    NAMES,
    OTHER_NAMES,
    WrittenObject,
    read_object,
    well_formed,
)


def object_schema(properties: dict[str, dict[str, object]], required: Sequence[str] | None = None) -> dict[str, object]:
    """Return the JSON schema of an object with these properties and no others; by default it needs all of them."""
    names = list(properties) if required is None else list(required)
    return {"type": "object", "additionalProperties": False, "required": names, "properties": properties}


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
_LANGUAGES: Final = ("python", "python3", "py")


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
Flag = Annotated[bool, BeforeValidator(lambda value: str(value).strip().casefold() in ("true", "yes", "1"))]
"""A flag in any form, advisory too."""


class Action(BaseModel):
    """One turn of a model: its state, what remains, whether it thinks it is done, and what to run."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    state: Line = Field("", validation_alias=AliasChoices(*NAMES["state"]))
    plan: tuple[str, ...] = Field((), validation_alias=AliasChoices(*NAMES["plan"]))
    done: Flag = Field(False, validation_alias=AliasChoices(*NAMES["done"]))
    code: str = Field(min_length=1, validation_alias=AliasChoices(*CODE_NAMES))
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
        if isinstance(value, list | tuple) and value and all(isinstance(item, str) for item in value):
            value = "\n".join(item.removesuffix("\n") for item in value)
        if not isinstance(value, str):
            return value
        code = well_formed(value)
        first, _, rest = code.strip().partition("\n")
        if first.startswith("```") and rest.endswith("```") and first[3:].strip().lower() in ("", *_LANGUAGES):
            code = rest.removesuffix("```").removesuffix("\n")
        code = code.removeprefix("\ufeff")
        if "\n" not in code and "\\n" in code and not is_program(code):
            # Its quotes may be escaped the right number of times already.
            once = (_unescaped(each) for each in (code, code.replace('\\"', '"').replace('"', '\\"')))
            return next((each for each in once if each is not None and is_program(each)), code)
        return code


def _unescaped(text: str) -> str | None:
    """Return a text as the inside of a JSON string; None if it cannot be one."""
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return None


def is_program(code: str) -> bool:
    """Say whether `code` is a program that Python can read, of at most 100,000 characters."""
    if len(code) > 100_000:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


_FENCE: Final = re2.compile(r"(?s)```(?P<language>\w*)[^\n`]*\n(?P<text>.*?)```")
_ESCAPED: Final = re2.compile(r'\{\s*\\"')
_CODE_STRING: Final = re2.compile(
    rf"""(?s){CODE_KEY.pattern}\s*"((?:[^"\\]|\\.)*)"\s*(?:,\s*(?:"\w+"|'\w+'|\w+)\s*:|,?\s*\}}\s*\z)"""
)
"""Code that is one whole string, with the next key or the end behind it."""
WRITTEN_ARGUMENTS: Final = ("arguments", "parameters", "args", "input")
"""Keys under which a tool call written as text holds its arguments."""
_REASONS: Final = {
    Fault.CUT_OFF: "The reply was cut off at the output limit, so nothing of it was run. Reply again, shorter: do less "
    "in this step, keep state and plan brief.",
    Fault.FILTERED: "The reply was withheld by the endpoint's filter of content.",
    Fault.EMPTY: "The reply was empty. Reply with one JSON object {state, plan, done, code}.",
    Fault.ONLY_THOUGHTS: "The reply holds thinking alone. End it, and reply with one JSON object {state, plan, done, "
    "code}.",
    Fault.NO_OBJECT: "The reply holds no JSON object {state, plan, done, code}. Reply with that object alone.",
    Fault.WRONG_SHAPE: "The reply's object has no code. Reply with {state, plan, done, code}, the Python to run in "
    "code.",
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
        return _unusable(Fault.CUT_OFF)
    if finish_reason == "refusal":
        said = " ".join(text.split())[:300]
        return Unusable(f"The reply is a refusal, {said!r}: go on with what can be done.", Fault.REFUSED)
    if not text.strip():
        return _unusable(Fault.FILTERED if finish_reason == "content_filter" else Fault.EMPTY)
    said = written_objects.without_thoughts(text)[: written_objects.LONGEST]
    found, others = _first_action(said) if said.strip() else (_unusable(Fault.ONLY_THOUGHTS), 0)
    if isinstance(found, Unusable):
        return found
    try:
        return Action.model_validate(found | {"others": others})
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        return Unusable(f"The reply's JSON does not fit {{state, plan, done, code}}: {faults}.", Fault.WRONG_SHAPE)


def _unusable(fault: Fault) -> Unusable:
    return Unusable(_REASONS[fault], fault)


def _first_action(text: str, *, may_be_escaped: bool = True) -> tuple[dict[str, object] | Unusable, int]:
    """Return the first action of `text`, and how many follow it. An unreadable object hides those after it."""
    bare: list[WrittenObject] = []
    actions: list[dict[str, object]] = []
    for written in written_objects.objects_in(text):
        value = _unwrapped(written.value or {})
        if _holds_code(value) and value.get("code", "x") not in ("", None):
            actions.append(value)
        elif actions:
            continue
        elif written.value is None and (written.holds_code or (written.end is None and written.is_action)):
            return _mended(text, written), 0
        elif OTHER_NAMES & value.keys():
            bare.append(written)
    if actions:
        return actions[0], len(actions) - 1
    if len(bare) == 1 and (beside := _code_beside(text, bare[0])) is not None:
        return {**(bare[0].value or {}), "code": beside}, 0
    opening = _ESCAPED.search(text) if may_be_escaped else None
    if opening is not None and (once := _unescaped(text[opening.start() : text.rfind("}") + 1])):
        return _first_action(well_formed(once), may_be_escaped=False)
    if bare:
        return _unusable(Fault.WRONG_SHAPE), 0
    if written_call := _call_in_xml(text):
        return written_call
    if (code := _code_beside(text)) is not None:
        return {"code": code}, 0
    return _unusable(Fault.NO_OBJECT), 0


def _call_in_xml(text: str) -> tuple[dict[str, object], int] | None:
    """Return the first call of our tool that is written as `<function=NAME><parameter=NAME>` or with `name="..."`, as
    Qwen3-Coder and MiniMax do, and how many follow it; None if its code is not whole."""
    opening = next((name for name in ("<function", "<invoke") if name in text), None)
    if opening is None or TOOL_NAME not in (call := text.partition(opening)[2].partition(opening)[0]).partition(">")[0]:
        return None
    fields: dict[str, object] = {}
    for part in call.split("<parameter")[1:11]:
        name, _, value = part.partition(">")
        value, closing, _ = value.partition("</parameter>")
        if closing:
            fields.setdefault(name.removeprefix(" name=").strip("= \"'"), value.strip("\n"))
    return (fields, text.count(opening) - 1) if _holds_code(fields) else None


def _mended(text: str, written: WrittenObject) -> dict[str, object] | Unusable:
    """Return the meaning of an unreadable object, if the object is closed and alone."""
    whole = text[written.start : written.end]
    if written.end is None:
        fault = "not closed"
    elif len(CODE_KEY.findall(text, written.start)) == 1 and (mended := repaired(whole)) is not None:
        return mended
    else:
        fault = "ambiguous: it has its code twice"
        try:
            json.loads(whole, strict=False)
        except json.JSONDecodeError as error:
            near = " ".join(whole[max(0, error.pos - 20) : error.pos + 20].split())
            fault = f"neither JSON nor whole ({error.msg} near {near!r})"
        except RecursionError:
            fault = "nested too deeply"
    return Unusable(
        f"The reply's first object {{state, plan, done, code}} is {fault}, so nothing was run. Reply with that object "
        "alone, as JSON, quotes and newlines inside its strings escaped.",
        Fault.GARBLED,
    )


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
    if isinstance(inner, dict) and _holds_code(inner) and (is_call or OTHER_NAMES & inner.keys()):
        return inner
    return value


def _holds_code(value: Mapping[str, object]) -> bool:
    """Say whether it has code under the name asked for, or under another beside other parts of an action."""
    return "code" in value or bool(OTHER_NAMES & value.keys() and any(code_name in value for code_name in CODE_NAMES))


def _code_beside(text: str, written: WrittenObject | None = None) -> str | None:
    """Return the code of the only fence of Python in a text that is not inside `written`, an object without code; or,
    in a text without such an object, of the only pair of `<code>` tags on lines of their own."""
    fences = [fence for fence in _FENCE.finditer(text) if fence["language"].lower() in _LANGUAGES]
    if written is None and not fences and text.count("<code>") == text.count("</code>") == 1:
        code = text.partition("<code>\n")[2].partition("\n</code>")[0]
    elif len(fences) == 1 and text.count("```") % 2 == 0:
        inside = written is not None and written.start < fences[0].start() < (written.end or 0)
        code = "" if inside else fences[0]["text"]
    else:
        return None
    return code if code.strip() else None


def repaired(written: str) -> dict[str, object] | None:
    """Return the object that `written`, from its brace to the closing one, means; None if that is not certain.

    Its code must be written once, as one JSON string before another key or the end. The library's time grows faster
    than the text, so that a text of more than 20,000 characters or 50 brackets is not repaired.
    """
    if len(written) > 20_000 or written.count("[") + written.count("{") > 50 or len(CODE_KEY.findall(written)) != 1:
        return None
    string = _CODE_STRING.search(written)
    code = _unescaped(string[1]) if string is not None else None
    if string is None or not code or not code.strip() or not is_program(code):
        return None
    import json_repair

    try:
        mended = json_repair.loads(f"{written[: string.start(1)]}code{written[string.end(1) :]}", skip_json_loads=True)
    except (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError):
        return None
    return mended | {"code": code} if isinstance(mended, dict) and mended.get("code") == "code" else None
