"""Plain Python functions as tools that scripts call.

A `Tool` is a function with what its benchmark says about it. A `DeclaredTool` is what a trial makes
of it: the operation that scripts see, and the way of arguments to the function and of its result
back.
"""

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
"""What scripts call by `harness.answer` and `harness.tools`: no tool can have these names."""
ENDED: Final = "ended"
"""The field of a result that is true if the environment has ended the trial by the call."""
NOTE: Final = "note"
"""The field of a result that says why a call that was made has no value."""
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
    """Seconds that a call may take beside the 60 s of its script. 0: a call is short, and its time
    is part of the script's."""
    is_undeclared: bool = False
    """With the effect `acts`: that effect is only a precaution, as nobody says whether a call
    changes something."""
    keys: tuple[str, ...] = ()
    """The arguments by which it looks a record up. If `order_id` is one, a number that found an
    order counts as a value of that order."""
    is_strict: bool = False
    """With `schema`: refuse a value that does not fit it. By default the tool decides, and the
    script is told."""
    first_turn: int = 0
    """The turn of the conversation with a user, counted from 0, in which the tool appears."""
    last_turn: int | None = None
    """The last turn in which the tool is there; None if it stays."""

    def __post_init__(self) -> None:
        """Fill in what `schema` says if it is a tool of OpenAI's API, and else the function's
        name."""
        name = self.name
        api_tool = _api_tool(self.schema)
        if api_tool is not None:
            name = name or api_tool.name
            # A frozen dataclass changes its own fields in this way.
            object.__setattr__(self, "description", self.description or api_tool.description)
            object.__setattr__(self, "schema", api_tool.schema)
        function_name = getattr(self.function, "__name__", "tool")
        object.__setattr__(self, "name", name or function_name)

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
        """Return the tool as scripts call it. Its name is none of those `taken`, and is added to
        them.

        Raises `ValueError` for a signature that scripts cannot call, or a schema that is not an
        object's.
        """
        arguments = arguments_in_scripts(self.argument_schema())
        name = script_name(self.name, taken, RESERVED)
        operation = Operation(
            name,
            arguments.parameters,
            fields=(ResultField("value"), ResultField("call_path")),
            summary=self._summary(name),
            effect=Effect(self.effect) if self.effect else Effect.UNDECLARED,
            subject="",  # The effect is not on a path of the trial's files.
            parsed_field="value",
            has_own_defaults=True,  # The function fills in what a script leaves out.
            is_undeclared=self.is_undeclared,
            longest_s=self.longest_s,
            ends_trial=ENDED,
            keys=self.keys,
            judges_arguments=self.schema is not None and not self.is_strict,
            is_later=self.first_turn > 0,
        )
        return DeclaredTool(self, operation, arguments.own_names)

    def _summary(self, name_in_scripts: str) -> str:
        """Return the tool's purpose in one line, without a full stop."""
        documentation = self.description or inspect.getdoc(self.function) or ""
        first_paragraph = documentation.split("\n\n")[0]
        summary = " ".join(first_paragraph.split())
        if name_in_scripts != self.name:
            summary = f"{summary} (called {self.name} elsewhere)".strip()
        return summary.rstrip(".")

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
        """Return the JSON schema of the arguments that the function's signature takes.

        Raises `ValueError` if scripts cannot call such a function, which they do by names alone.
        """
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
        """Converts arguments to the types of the function's signature, without calling it."""

        # Pydantic's adapter of a function converts arguments as the signature says, and then calls
        # the function. So it is given one with the same signature that only returns its arguments.
        def return_arguments(**arguments: object) -> dict[str, object]:
            return arguments

        stand_in: Any = wraps(self.function)(return_arguments)
        stand_in.__annotations__ = get_type_hints(self.function, include_extras=True)
        return TypeAdapter(stand_in)


@dataclass(frozen=True, slots=True)
class _ApiTool:
    """A tool as requests to models define it."""

    name: str
    description: str
    schema: Mapping[str, Any]
    """The JSON schema of its arguments."""


def _api_tool(schema: Mapping[str, Any] | None) -> _ApiTool | None:
    """Return the tool that `schema` defines in the form of a model's API, or None.

    OpenAI's forms are `{"function": {"name", "description", "parameters"}}`, and the inner mapping
    alone; Anthropic's has `input_schema` for `parameters`. Anything else is a JSON schema.
    """
    if schema is None:
        return None
    function = schema.get("function")
    definition = function if isinstance(function, Mapping) else schema
    parameters = definition.get("parameters", definition.get("input_schema"))
    if not isinstance(parameters, Mapping):
        return None
    return _ApiTool(
        definition.get("name", ""), definition.get("description") or "", schema=parameters
    )


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool under the names that scripts use."""

    tool: Tool
    operation: Operation
    own_names: Mapping[str, str]
    """The tool's own name of each parameter, by the script's name: `from_` -> `from`."""

    def arguments(self, script_arguments: Mapping[str, Plain]) -> dict[str, Any]:
        """Return the arguments of a script's call as the function takes them: converted copies.

        Raises `CallError` for a value that does not fit the function's signature.
        """
        parameters = {parameter.name: parameter for parameter in self.operation.parameters}
        arguments: dict[str, Any] = {}
        for name, value in script_arguments.items():
            if not _is_left_out(value, parameters[name]):
                arguments[self.own_names[name]] = copy.deepcopy(value)
        if self.tool.schema is not None:
            return arguments

        try:
            converted = self.tool.converter.validate_python(ArgsKwargs((), arguments))
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            place = ".".join(map(str, fault["loc"]))
            message = f"{self.operation.name}: {place}: {fault['msg']}"
            raise CallError(error_codes.INVALID_ARGUMENT, message) from None
        # Pydantic has added the defaults of other parameters, which the function fills in itself.
        return {name: converted[name] for name in arguments}

    def result(self, arguments: Mapping[str, object], value: object) -> dict[str, Plain]:
        """Return the fields of the result of a call that returned `value`.

        Raises `CallError` for a value that is not data, or too long, if the call only reads. A call
        that acts has changed something, so it has succeeded: its value is None, and a note says
        why.
        """
        name = self.operation.name
        folder = f"/calls/{name}"
        try:
            text = self._data_text(value)
            return citable_result(name, folder, arguments, value=text)
        except CallError as error:
            if self.operation.effect is Effect.RETURNS:
                raise
            note = f"the call was made, and its result cannot be shown: {error.message}"
            result = citable_result(name, folder, arguments, value="null")
            result[NOTE] = note[:MAX_FAULT_CHARS]
            return result

    def _data_text(self, value: object) -> str:
        """Return a value as JSON; bytes are text, or URL-safe base64 if any are not UTF-8.

        Raises `CallError` with the tool's name for a value that is not data.
        """
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


def _is_left_out(value: Plain, parameter: Parameter) -> bool:
    """Return True if a script leaves an argument out by passing None, as models often do.

    Where the parameter's schema allows null, None is a value.
    """
    return value is None and bool(schema_fault(None, parameter.schema or {}))


@dataclass(frozen=True, slots=True)
class ArgumentsInScripts:
    """The arguments of a tool as scripts pass them."""

    parameters: tuple[Parameter, ...]
    """The required ones first."""
    own_names: Mapping[str, str]
    """The tool's own name of each parameter, by the script's name: `from_` -> `from`."""


def arguments_in_scripts(
    schema: Mapping[str, Any], max_parameters: int | None = None
) -> ArgumentsInScripts:
    """Return the arguments that a JSON schema declares, each with a name that scripts can write.

    All but the first `max_parameters` are left out.
    """
    properties = schema.get("properties")
    declared: dict[str, Any] = {}
    if isinstance(properties, Mapping):
        declared = dict(list(properties.items())[:max_parameters])
    required = schema.get("required")
    required_names = set(required) if isinstance(required, Iterable) else set()
    # What a `$ref` in the schema of a parameter refers to.
    definitions = {key: schema[key] for key in ("$defs", "definitions") if schema.get(key)}

    names_in_scripts = _names_in_scripts(declared)
    parameters = []
    for own_name, property_schema in declared.items():
        own_schema = dict(property_schema) if isinstance(property_schema, Mapping) else {}
        default = REQUIRED if own_name in required_names else own_schema.get("default")
        parameters.append(
            Parameter(
                names_in_scripts[own_name], "any", default, schema={**own_schema, **definitions}
            )
        )
    parameters.sort(key=lambda parameter: not parameter.is_required)

    own_names = {name: str(own_name) for own_name, name in names_in_scripts.items()}
    return ArgumentsInScripts(tuple(parameters), own_names)


def _names_in_scripts(own_names: Iterable[str]) -> dict[str, str]:
    """Return a name for each parameter that scripts can write, by the tool's own name.

    A parameter whose own name can be written keeps it; the others get what is left.
    """
    taken: set[str] = set()
    names_in_scripts = {}
    for own_name in sorted(own_names, key=is_adapted):  # False comes before True.
        names_in_scripts[own_name] = script_name(str(own_name), taken)
    return names_in_scripts


def citable_result(
    operation: str, folder: str, arguments: Mapping[str, object], **fields: str
) -> dict[str, Plain]:
    """Return the fields of a call's result, with `call_path`: the path under which it is cited.

    The path is made of a digest of arguments and result, and lies below `folder`, for example
    `/calls/find_order/3f9a0c12be`. The same call with the same result has the same path. Raises
    `CallError` if the fields are too long for a script.
    """
    size = sum(len(text) for text in fields.values())
    if size > MAX_RESULT_CHARS:
        msg = (
            f"{operation} returned {size:,} characters, and at most {MAX_RESULT_CHARS:,} are passed "
            "on: ask it for less"
        )
        raise CallError(error_codes.FAILED_PRECONDITION, msg)
    content = json.dumps([arguments, *fields.values()], sort_keys=True, default=str)
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:DIGEST_CHARS]
    result: dict[str, Plain] = {"call_path": f"{folder}/{digest}"}
    for name, text in fields.items():
        result[name] = encodable(text)
    return result
