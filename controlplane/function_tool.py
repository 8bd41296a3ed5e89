"""Plain functions as tools: what scripts call, how arguments become the function's, how its result becomes data."""

from __future__ import annotations

import copy
import fnmatch
import hashlib
import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, Final, Literal, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ArgsKwargs, to_jsonable_python

from controlplane.gates.submission import encodable
from controlplane.sandbox.interface import (
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
from controlplane.schema_dialects import in_json_schema
from controlplane.script_names import is_adapted, script_name

RESERVED: Final = ("answer", "tools")
"""Names of `harness` that no tool takes."""
ENDED: Final = "ended"
"""The result field that says that the environment ended the trial."""
NOTE: Final = "note"
"""The result field that says why a call that was made has no value."""
MAX_RESULT_CHARS: Final = 900_000
"""A message to a script's process carries no more."""
MAX_FAULT_CHARS: Final = 500
SHOWN_VALUE_CHARS: Final = 200
DIGEST_CHARS: Final = 10
"""Hexadecimal digits of a result's path: two results of a trial hardly ever share them."""


@dataclass(frozen=True)
class Tool:
    """A function that scripts call as `harness.NAME(...)`.

    Its parameters come from its signature, where their types are converted by pydantic, or from
    `schema`; then they are passed as they are. The function gets copies of the arguments, without
    those that a script leaves out. The returned value is turned into JSON's types (pydantic models,
    dataclasses, dates, `Decimal`, `bytes` and sets included). A value that has none fails a call
    that only reads; a call that acts has been made, and returns None with a note. `ValueError`,
    `LookupError`, `RuntimeError`, `OSError` and their like fail the one call with their text, as a
    refusal by the tool; `CallError` with its code. Any other exception is a fault of the benchmark.
    """

    function: Callable[..., object]
    effect: Literal["returns", "acts", ""] = ""
    """`returns` if a call only reads; `acts` if it may change something, so that it is written down
    before it is made, and repeated when a trial is resumed. There is no default: a benchmark with a
    tool that says neither is refused."""
    name: str = ""
    """Its name; the function's own if empty. One that scripts cannot call is adapted, and the
    prompt says so."""
    description: str = ""
    """One line of the prompt on the tool's purpose; the first paragraph of the docstring if
    empty."""
    schema: Mapping[str, Any] | None = None
    """The JSON schema of its arguments, an object; or a tool in the form of OpenAI's API, which has
    name, description and that schema under `function`; None: the function's signature. Python's
    names of types (`dict`, `float`) are read, too."""
    longest_s: float = 0.0
    """Seconds that a call may take; 0 if it is short, as it then counts towards the step's 60 s."""
    is_undeclared: bool = False
    """With the effect `acts`: nobody says whether a call changes something, so it is taken to."""
    keys: tuple[str, ...] = ()
    """The arguments by which it looks a record up: a value that found one is a value of that
    record."""
    is_strict: bool = False
    """With `schema`: refuse a value that does not fit it. By default the tool decides, and the
    script is told."""
    first_turn: int = 0
    """The turn of the conversation with a user, counted from 0, in which the tool appears."""
    last_turn: int | None = None
    """The last turn in which the tool is there; None if it stays."""

    def __post_init__(self) -> None:
        definition: Mapping[str, Any] = self.schema or {}
        if isinstance(definition.get("function"), Mapping):
            definition = definition["function"]
        name = self.name
        parameters = definition.get("parameters", definition.get("input_schema"))
        if isinstance(parameters, Mapping):
            name = name or definition.get("name", "")
            description = self.description or definition.get("description") or ""
            object.__setattr__(self, "description", description)
            object.__setattr__(self, "schema", parameters)
        own_name = getattr(self.function, "__name__", "tool")
        object.__setattr__(self, "name", name or own_name)

    @classmethod
    def of(cls, source: object, *, reads: Sequence[str] = ()) -> list[Tool]:
        """Return a tool for each public method of an object, in the order of its class.

        Those whose names fit a pattern of `reads`, as in `reads=("get_*", "list_*")`, only read;
        every other one acts. Raises `ValueError` for a pattern that no method fits.
        """
        names = []
        for owner in reversed(type(source).__mro__[:-1]):  # without `object`
            for name in vars(owner):
                is_public = not name.startswith("_")
                if is_public and name not in names and inspect.isroutine(getattr(source, name)):
                    names.append(name)

        for pattern in reads:
            if not fnmatch.filter(names, pattern):
                msg = f"{type(source).__name__} has no method {pattern!r}: {', '.join(names)}"
                raise ValueError(msg)

        tools = []
        for name in names:
            only_reads = any(fnmatch.fnmatchcase(name, pattern) for pattern in reads)
            tools.append(cls(getattr(source, name), "returns" if only_reads else "acts", name))
        return tools

    def declared(self, taken: set[str]) -> DeclaredTool:
        """Return the tool as scripts call it, under a name that is not `taken`, and take the name.

        Raises `ValueError` for a signature that scripts cannot call, or a schema that is not an
        object's.
        """
        parameters, spellings = parameters_of(self.argument_schema())
        name = script_name(self.name, taken, RESERVED)
        documentation = self.description or inspect.getdoc(self.function) or ""
        first_paragraph = documentation.split("\n\n")[0]
        summary = " ".join(first_paragraph.split())
        if name != self.name:
            summary = f"{summary} (called {self.name} elsewhere)".strip()
        operation = Operation(
            name,
            parameters,
            (ResultField("value"), ResultField("call_path")),
            summary.rstrip("."),
            Effect(self.effect or Effect.UNDECLARED),
            subject="",
            parsed_field="value",
            has_own_defaults=True,
            is_undeclared=self.is_undeclared,
            longest_s=self.longest_s,
            ends_trial=ENDED,
            keys=self.keys,
            judges_arguments=self.schema is not None and not self.is_strict,
            is_later=self.first_turn > 0,
        )
        return DeclaredTool(self, operation, spellings)

    def is_there(self, turn: int) -> bool:
        """Say whether scripts can call the tool in a turn of the conversation."""
        if self.last_turn is not None and turn > self.last_turn:
            return False
        return turn >= self.first_turn

    def argument_schema(self) -> Mapping[str, Any]:
        """Return the JSON schema of the arguments. Raises `ValueError` if they have none."""
        if self.schema is None:
            return self._signature_schema()
        try:
            schema = in_json_schema(self.schema)
        except ValueError as error:
            msg = f"the schema of the tool {self.name}: {error}"
            raise ValueError(msg) from None
        is_object = schema.get("type", "object") == "object" and "$ref" not in schema
        if not is_object or not isinstance(schema.get("properties", {}), Mapping):
            shown = f"{self.schema!r:.{SHOWN_VALUE_CHARS}}"
            msg = f"the schema of the tool {self.name} describes no object of arguments: {shown}"
            raise ValueError(msg)
        return schema

    def _signature_schema(self) -> Mapping[str, Any]:
        if inspect.iscoroutinefunction(self.function):
            msg = f"the tool {self.name} is async: give a function that returns its result"
            raise ValueError(msg)
        unnamed_kinds = (
            inspect.Parameter.VAR_POSITIONAL,
            inspect.Parameter.VAR_KEYWORD,
            inspect.Parameter.POSITIONAL_ONLY,
        )
        for parameter in inspect.signature(self.function).parameters.values():
            if parameter.kind in unnamed_kinds:
                msg = (
                    f"the tool {self.name} takes {parameter}: name its parameters, or give it a "
                    "schema"
                )
                raise ValueError(msg)
        schema = self.converter.json_schema()
        for property_schema in schema["properties"].values():
            property_schema.pop("title", None)
        return schema

    @cached_property
    def converter(self) -> TypeAdapter[Any]:
        """Converts the arguments of a call to the types of the function's signature."""

        def collect(**arguments: object) -> dict[str, object]:
            return arguments

        collecting: Any = wraps(self.function)(collect)
        collecting.__annotations__ = get_type_hints(self.function, include_extras=True)
        return TypeAdapter(collecting)


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool under the names that scripts use."""

    tool: Tool
    operation: Operation
    spellings: Mapping[str, str]
    """The tool's own name of each parameter, by the script's name."""

    def arguments(self, script_arguments: Mapping[str, Plain]) -> dict[str, Any]:
        """Return new arguments as the function takes them. Raises `CallError`."""
        schemas = {one.name: one.schema or {} for one in self.operation.parameters}
        arguments: dict[str, Any] = {}
        for name, value in script_arguments.items():
            is_left_out = value is None and bool(schema_fault(None, schemas[name]))
            if not is_left_out:
                arguments[self.spellings[name]] = copy.deepcopy(value)
        if self.tool.schema is not None:
            return arguments

        try:
            converted = self.tool.converter.validate_python(ArgsKwargs((), arguments))
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            place = ".".join(map(str, fault["loc"]))
            message = f"{self.operation.name}: {place}: {fault['msg']}"
            raise CallError(error_codes.INVALID_ARGUMENT, message) from None
        return {name: converted[name] for name in arguments}

    def result(self, arguments: Mapping[str, object], value: object) -> dict[str, Plain]:
        """Return the fields of the result of a call that returned `value`.

        Raises `CallError` for a value that is not data, or too long, if the call only reads. A call
        that acts has changed something, so it has succeeded: its value is None, and a note says why.
        """
        name = self.operation.name
        place = f"/calls/{name}"
        try:
            text = self._data_text(value)
            return citable_result(name, place, arguments, value=text)
        except CallError as error:
            if self.operation.effect is Effect.RETURNS:
                raise
            note = f"the call was made, and its result cannot be shown: {error.message}"
            result = citable_result(name, place, arguments, value="null")
            result[NOTE] = note[:MAX_FAULT_CHARS]
            return result

    def _data_text(self, value: object) -> str:
        """Return a value as JSON; bytes are text, or URL-safe base64 if any are not UTF-8. Raises
        `CallError` with the tool's name for a value that is not data."""
        try:
            try:
                data = to_jsonable_python(value, bytes_mode="utf8")
            except UnicodeDecodeError:
                data = to_jsonable_python(value, bytes_mode="base64")
            return encodable(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
        except (ValueError, RecursionError) as error:
            kind = type(value).__name__
            fault = f"{self.tool.name} returned {kind}, which is no data: {error}"
            shown = " ".join(fault.split())[:MAX_FAULT_CHARS]
            raise CallError(error_codes.INTERNAL, shown) from None


def parameters_of(
    schema: Mapping[str, Any], most: int | None = None
) -> tuple[tuple[Parameter, ...], dict[str, str]]:
    """Return the parameters that a JSON schema of arguments declares, at most `most` of them,
    required ones first, and the schema's names for them, by those of scripts."""
    properties = schema.get("properties")
    required = schema.get("required")
    required_names = set(required) if isinstance(required, Iterable) else set()
    definitions = {key: schema[key] for key in ("$defs", "definitions") if schema.get(key)}
    declared = list(properties.items())[:most] if isinstance(properties, Mapping) else []

    # Names that scripts can write are taken first, so that each keeps its own.
    taken: set[str] = set()
    names = {}
    for key in sorted(dict(declared), key=is_adapted):
        names[key] = script_name(str(key), taken)

    parameters = []
    for key, property_schema in declared:
        own_schema = dict(property_schema) if isinstance(property_schema, Mapping) else {}
        default = REQUIRED if key in required_names else own_schema.get("default")
        parameters.append(Parameter(names[key], "any", default, own_schema | definitions))
    parameters.sort(key=lambda parameter: not parameter.is_required)

    spellings = {name: str(key) for key, name in names.items()}
    return tuple(parameters), spellings


def citable_result(
    source: str, place: str, arguments: Mapping[str, object], **fields: str
) -> dict[str, Plain]:
    """Return the fields that a tool returned for `arguments`, with the path below `place` under
    which they may be cited. Raises `CallError` if they are too long for a script."""
    size = sum(len(text) for text in fields.values())
    if size > MAX_RESULT_CHARS:
        msg = (
            f"{source} returned {size:,} characters, and at most {MAX_RESULT_CHARS:,} are passed "
            "on: ask it for less"
        )
        raise CallError(error_codes.FAILED_PRECONDITION, msg)
    mark = json.dumps([arguments, *fields.values()], sort_keys=True, default=str)
    digest = hashlib.sha256(mark.encode("utf-8", "replace")).hexdigest()[:DIGEST_CHARS]
    result: dict[str, Plain] = {"call_path": f"{place}/{digest}"}
    for name, text in fields.items():
        result[name] = encodable(text)
    return result
