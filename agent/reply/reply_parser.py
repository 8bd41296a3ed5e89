"""Turns a model's text into the one action a turn can hold: strictly first, then by salvage without another call.

Nothing uncertain is executed: code that was cut off, written twice or cannot be read is not used. The library
`json_repair` repairs the text around the code; the code is never its guess, but one whole string, a program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from pydantic import ValidationError

from agent.model.model_protocol import TOOL_NAME, Reply
from agent.reply.action import CODE_NAMES, OTHER_NAMES, Action, Fault, Unusable, is_program
from agent.reply.object_finder import CODE_KEY, LONGEST, WrittenObject, objects_in, unique, without_thoughts

_FENCE: Final = re.compile(r"```(?P<language>\w*)[^\n`]*\n(?P<text>.*?)```", re.S)
_ESCAPED: Final = re.compile(r'\{\s*+\\"')
_ARGUMENTS: Final = ("arguments", "parameters", "input")
"""Keys under which a tool call written as text holds its arguments."""
_SHOWN_CHARS: Final = 40

_CUT_OFF: Final = Unusable(
    "The reply was cut off at the output limit, so nothing of it was run. Reply again, shorter: do less in this step, "
    "keep state and plan brief.",
    Fault.CUT_OFF,
)
_FILTERED: Final = Unusable("The reply was withheld by the endpoint's filter of content.", Fault.FILTERED)
_EMPTY: Final = Unusable("The reply was empty. Reply with one JSON object {state, plan, done, code}.", Fault.EMPTY)
_ONLY_THOUGHTS: Final = Unusable(
    "The reply holds thinking alone. End it, and reply with one JSON object {state, plan, done, code}.",
    Fault.ONLY_THOUGHTS,
)
_NO_OBJECT: Final = Unusable(
    "The reply holds no JSON object {state, plan, done, code}. Reply with that object alone.", Fault.NO_OBJECT
)
_LONGEST_MENDED: Final = 20_000
"""Max characters of an object that is repaired; the library's time grows faster than the text."""
_DEEPEST_MENDED: Final = 50
"""Max brackets of an object that is repaired."""
_STAND_IN: Final = '"code"'
"""Replaces the code in the text that the library parses."""
_STRING: Final = re.compile(r'\s*+("(?:[^"\\]++|\\.)*")\s*+', re.S)
_NEXT_KEY: Final = re.compile(r""",\s*+(?:"\w+"|'\w+'|\w+)\s*+:""")
_LAST: Final = re.compile(r",?\s*+\}\s*+\Z")
_FAILURES_OF_LIBRARY: Final = (
    *(ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError),
)


def tool_arguments(reply: Reply) -> str | None:
    """Return the arguments of the tool call that carries the action; None if the reply's text does."""
    return next((tool_call.arguments for tool_call in reply.tool_calls if tool_call.name == TOOL_NAME), None)


def action_of(text: str, finish_reason: str = "stop") -> Action | Unusable:
    """Return the action in `text`: JSON as asked, else the first object with code in it, in any spelling.

    A reply cut off by its length is never salvaged, and never executed. Raises nothing.
    """
    if finish_reason == "length":
        return _CUT_OFF
    if not text.strip():
        return _FILTERED if finish_reason == "content_filter" else _EMPTY
    found: dict[str, object] | Unusable | None = _strict(text)
    if found is None:
        said = without_thoughts(text)
        if not said.strip():
            return _ONLY_THOUGHTS
        found = _first_action(said[:LONGEST])
    if isinstance(found, Unusable):
        return found
    try:
        return Action.model_validate(found)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        return Unusable(f"The reply's JSON does not fit {{state, plan, done, code}}: {faults}.", Fault.WRONG_SHAPE)


def _strict(text: str) -> dict[str, object] | None:
    """Return the object that the whole text consists of: alone, alone in a list, or escaped once more as a string."""
    for _ in range(2):
        value = _document(text)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict):
            return _unwrapped(value)
        if not isinstance(value, str):
            return None
        text = value
    return None


def _document(text: str) -> object:
    try:
        value: object = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        return None
    return value


def _first_action(text: str, *, may_be_escaped: bool = True) -> dict[str, object] | Unusable:
    """Return the first object of `text` that holds code. An unreadable object hides those after it."""
    bare: list[WrittenObject] = []
    for written in objects_in(text):
        value = _unwrapped(written.value) if written.value is not None else None
        if value is not None and _holds_code(value) and value.get("code", "x") not in ("", None):
            return value
        if written.value is None and (written.holds_code or (written.end is None and written.is_action)):
            return _mended(text, written)
        if value is not None and OTHER_NAMES & value.keys():
            bare.append(written)
    if len(bare) == 1:
        beside = _code_beside(text, bare[0])
        if beside is not None:
            return {**(bare[0].value or {}), "code": beside}
    once = _unescaped(text) if may_be_escaped else None
    if once is not None:
        return _first_action(once, may_be_escaped=False)
    if bare:
        return Unusable(
            "The reply's object has no code. Reply with {state, plan, done, code}, the Python to run in code.",
            Fault.WRONG_SHAPE,
        )
    return _NO_OBJECT


def _mended(text: str, written: WrittenObject) -> dict[str, object] | Unusable:
    """Return the meaning of an unreadable object, if the object is closed and alone."""
    if written.end is not None and len(CODE_KEY.findall(text, written.start)) == 1:
        mended = repaired(text[written.start : written.end])
        if mended is not None:
            return mended
    return Unusable(
        f"The reply's first object {{state, plan, done, code}} is {_fault_in(text[written.start :], written)}, so "
        "nothing was run. Reply with that object alone, as JSON, quotes and newlines inside its strings escaped.",
        Fault.GARBLED,
    )


def _fault_in(text: str, written: WrittenObject) -> str:
    if written.end is None:
        return "not closed"
    try:
        json.loads(text[: written.end - written.start], strict=False)
    except json.JSONDecodeError as error:
        near = " ".join(text[max(0, error.pos - _SHOWN_CHARS // 2) : error.pos + _SHOWN_CHARS // 2].split())
        return f"neither JSON nor whole ({error.msg} near {near!r})"
    except RecursionError:
        return "nested too deeply"
    return "ambiguous: it has its code twice"


def _unwrapped(value: dict[str, object]) -> dict[str, object]:
    """Return the action inside of `value`: the arguments of a call of our tool, or the only thing that it holds."""
    if _holds_code(value):
        return value
    function = value.get("function")
    call = function if isinstance(function, dict) else value
    is_call = TOOL_NAME in (call.get("name"), function, value.get("tool"))
    if is_call:
        inner = next((call[argument] for argument in _ARGUMENTS if argument in call), None)
        inner = _document(inner) if isinstance(inner, str) else inner
    else:
        inner = next(iter(value.values())) if len(value) == 1 else None
    if isinstance(inner, dict) and _holds_code(inner) and (is_call or OTHER_NAMES & inner.keys()):
        return inner
    return value


def _holds_code(value: Mapping[str, object]) -> bool:
    """Say whether it has code under the name asked for, or under another beside other parts of an action."""
    return "code" in value or bool(OTHER_NAMES & value.keys() and any(code_name in value for code_name in CODE_NAMES))


def _code_beside(text: str, written: WrittenObject) -> str | None:
    """Return the code of the only fence of Python beside an object without code."""
    fences = [fence for fence in _FENCE.finditer(text) if fence["language"].lower() in ("python", "python3", "py")]
    if len(fences) != 1 or text.count("```") % 2:
        return None
    inside = written.start < fences[0].start() < (written.end or 0)
    return None if inside or not fences[0]["text"].strip() else fences[0]["text"]


def _unescaped(text: str) -> str | None:
    """Return a text whose object has every quote escaped, read as a string."""
    opening = _ESCAPED.search(text)
    if opening is None:
        return None
    try:
        once = json.loads(f'"{text[opening.start() : text.rindex("}") + 1]}"', strict=False)
    except ValueError:
        return None
    return once if isinstance(once, str) else None


def repaired(written: str) -> dict[str, object] | None:
    """Return the object that `written`, from its brace to the closing one, means; None if that is not certain."""
    if len(written) > _LONGEST_MENDED or written.count("[") + written.count("{") > _DEEPEST_MENDED:
        return None
    found = _code_in(written)
    if found is None or not is_program(found[0]):
        return None
    code, start, end = found
    import json_repair

    try:
        mended = json_repair.loads(f"{written[:start]}{_STAND_IN}{written[end:]}", skip_json_loads=True)
    except _FAILURES_OF_LIBRARY:
        return None
    if not isinstance(mended, dict) or mended.get("code") != json.loads(_STAND_IN):
        return None
    return mended | {"code": code}


def _code_in(written: str) -> tuple[str, int, int] | None:
    """Return the code and its place if it is written once, as one JSON string before another key or the end."""
    keys = list(CODE_KEY.finditer(written))
    if len(keys) != 1:
        return None
    string = _STRING.match(written, keys[0].end())
    if string is None or not (_NEXT_KEY.match(written, string.end()) or _LAST.match(written, string.end())):
        return None
    try:
        code = json.loads(string[1], strict=False)
    except ValueError:
        return None
    return (code, string.start(1), string.end(1)) if isinstance(code, str) and code.strip() else None
