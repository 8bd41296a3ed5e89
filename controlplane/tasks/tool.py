"""A plain function as a call of scripts: its declaration, its arguments, its result as data."""

from __future__ import annotations

import hashlib
import inspect
import json
import keyword
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from gates.submission import encodable
from sandbox.interface import (
    REQUIRED,
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    error_codes,
    schema_fault,
)

RESERVED: Final = ("answer", "tools")
"""Names of `harness` that no tool takes."""
ENDED: Final = "ended"
"""The result field that says that the environment ended the trial."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that scripts call as `harness.NAME(...)`.

    Its parameters come from its signature, where their types are converted by pydantic, or from `schema`; then they
    are passed as they are. Arguments that a script leaves out are not passed. The returned value is turned into
    JSON's types (pydantic models, dataclasses, dates, `Decimal`, `bytes` and sets included); a value that has none is
    refused with its name. `ValueError`, `LookupError`, `RuntimeError`, `OSError` and their like fail the one call with
    their text, as a refusal by the tool; `CallError` with its code. Any other exception is a fault of the benchmark.
    """

    function: Callable[..., object]
    effect: Literal["returns", "acts", ""] = ""
    """`returns` if a call only reads; `acts` if it may change something, so that it is written down before it is made,
    and repeated when a trial is resumed. There is no default: a benchmark with a tool that says neither is refused."""
    name: str = ""
    """Its name; the function's own if empty. One that scripts cannot call is adapted, and the prompt says so."""
    description: str = ""
    """One line of the prompt on the tool's purpose; the first paragraph of the docstring if empty."""
    schema: Mapping[str, Any] | None = None
    """The JSON schema of its arguments, an object; or a tool in the form of OpenAI's API, which has name, description
    and that schema under `function`; None: the function's signature."""
    longest_s: float = 0.0
    """Seconds that a call may take; 0 if it is short, as it then counts towards the step's 60 s."""
    _types: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _passed: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.schema is not None and isinstance(given := self.schema.get("function"), Mapping):
            object.__setattr__(self, "name", self.name or given.get("name", ""))
            object.__setattr__(self, "description", self.description or given.get("description") or "")
            object.__setattr__(self, "schema", given.get("parameters") or {})

    @property
    def own_name(self) -> str:
        """The name by which the benchmark knows it."""
        return self.name or getattr(self.function, "__name__", "tool")

    def declared(self, taken: set[str]) -> Operation:
        """Return its declaration under a name that is not `taken`, and take the name. Raises `ValueError` for a
        signature that scripts cannot call, or a schema that is not an object's."""
        schema = self._argument_schema()
        parameters = []
        needed = schema.get("required", ())
        names: set[str] = set()
        for key, given in schema.get("properties", {}).items():
            own = {**given, "$defs": schema["$defs"]} if schema.get("$defs") else dict(given)
            default: Any = REQUIRED if key in needed else given.get("default")
            name = script_name(key, names)
            self._passed[name] = key
            parameters.append(Parameter(name, "any", default, own))
        parameters.sort(key=lambda one: not one.is_required)
        name = script_name(self.own_name, taken, RESERVED)
        words = " ".join((self.description or inspect.getdoc(self.function) or "").split("\n\n")[0].split())
        if name != self.own_name:
            words = f"{words} (called {self.own_name} elsewhere)".strip()
        return Operation(
            name,
            tuple(parameters),
            (ResultField("value"), ResultField("call_path")),
            words.rstrip("."),
            Effect(self.effect or Effect.UNDECLARED),
            subject="",
            parsed_field="value",
            has_own_defaults=True,
            longest_s=self.longest_s,
            ends_trial=ENDED,
        )

    def _argument_schema(self) -> Mapping[str, Any]:
        """Return the schema of the arguments."""
        if self.schema is not None:
            if not isinstance(self.schema.get("properties", {}), Mapping):
                msg = f"the schema of the tool {self.own_name} describes no object of arguments: {self.schema!r:.200}"
                raise ValueError(msg)
            return self.schema
        from pydantic import TypeAdapter
        from pydantic_core import to_jsonable_python

        hints = typing.get_type_hints(self.function, include_extras=True)
        properties: dict[str, Any] = {}
        definitions: dict[str, Any] = {}
        required = []
        for name, parameter in inspect.signature(self.function).parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
                msg = f"the tool {self.own_name} takes {parameter}: name its parameters, or give it a schema"
                raise ValueError(msg)
            self._types[name] = adapter = TypeAdapter(hints.get(name, Any))
            own = adapter.json_schema()
            definitions |= own.pop("$defs", {})
            properties[name] = own
            if parameter.default is parameter.empty:
                required.append(name)
            else:
                own["default"] = to_jsonable_python(parameter.default)
        return {"properties": properties, "required": required, "$defs": definitions}

    def arguments(self, declared: Operation, given: Mapping[str, Plain]) -> dict[str, Any]:
        """Return the arguments of a call as the function takes them. Raises `CallError`."""
        schemas = {one.name: one.schema or {} for one in declared.parameters}
        named = {
            self._passed[name]: value
            for name, value in given.items()
            if value is not None or not schema_fault(None, schemas[name])  # None where it is no value: left out
        }
        for name in [] if self.schema is not None else named:
            try:
                named[name] = self._types[name].validate_python(named[name])
            except ValueError as error:
                fault = " ".join(str(error).split("\n", 1)[1].split("[type=")[0].split())
                raise CallError(error_codes.INVALID_ARGUMENT, f"{declared.name}: {name}: {fault}") from None
        return named

    def result(self, declared: Operation, given: Mapping[str, object], value: object) -> dict[str, Plain]:
        """Return the fields of a result; bytes are text, or base64 if any are not UTF-8. Raises `CallError` with the
        tool's name for a value that is not data."""
        from pydantic_core import to_jsonable_python

        try:
            try:
                data = to_jsonable_python(value, bytes_mode="utf8")
            except UnicodeDecodeError:
                data = to_jsonable_python(value, bytes_mode="base64")
            text = encodable(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
        except (ValueError, RecursionError) as error:
            fault = f"{self.own_name} returned {type(value).__name__}, which is no data: {error}"
            raise CallError(error_codes.INTERNAL, " ".join(fault.split())[:500]) from None
        return citable_result(declared.name, f"/calls/{declared.name}", given, value=text)


def citable_result(what: str, place: str, given: Mapping[str, object], **fields: str) -> dict[str, Plain]:
    """Return the fields of what a tool returned for the arguments `given`, with the path below `place` under which they
    may be cited. Raises `CallError` if they are too long for a script."""
    most = 900_000  # Characters: a message to a script's process carries no more.
    if (size := sum(map(len, fields.values()))) > most:
        msg = f"{what} returned {size:,} characters, and at most {most:,} are passed on: ask it for less"
        raise CallError(error_codes.FAILED_PRECONDITION, msg)
    mark = json.dumps([given, *fields.values()], sort_keys=True, default=str)
    digest = hashlib.sha256(mark.encode("utf-8", "replace")).hexdigest()[:10]
    return {"call_path": f"{place}/{digest}", **{name: encodable(text) for name, text in fields.items()}}


def plain_name(text: str) -> str:
    """Return a name of at most 60 letters, digits and underscores for `text`, without underscores before it."""
    plain = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in text)
    return plain[:60].lstrip("_") or "tool"


def script_name(text: str, taken: set[str], reserved: tuple[str, ...] = ()) -> str:
    """Return a name like `text` that scripts can write and that is not taken, and add it to `taken`."""
    plain = plain_name(text)
    plain = f"t_{plain}" if plain[0].isdigit() else f"{plain}_" if keyword.iskeyword(plain) else plain
    name, number = f"{plain}_" if plain in reserved else plain, 2
    while name in taken:
        name, number = f"{plain}_{number}", number + 1
    taken.add(name)
    return name
