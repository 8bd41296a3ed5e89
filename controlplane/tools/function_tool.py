"""Functions as tools that scripts and models call."""

from __future__ import annotations

import copy
import fnmatch
import inspect
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, Final, Literal, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError
from pydantic_core import ArgsKwargs

from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Plain,
    ResultField,
    error_codes,
    schema_fault,
)
from controlplane.tools.tool_parameters import (
    MAX_FAULT_CHARS,
    ToolParameters,
    check_kind,
    citable_result,
    json_text,
    result_path,
    script_name,
)

# A tool as scripts call it: the conversion of arguments and results.
#
# The function `def pay(amount: Decimal, due: date)` gets a `Decimal` and a `date`, while
# a script passes `harness.pay(12.5, "2027-05-01")`. What the function returns becomes JSON.

_NOTE: Final = "note"
"""A result field. If a call was made, but its result cannot be passed on, it says why."""


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A tool as scripts call it: converts the arguments and the result of each call."""

    tool: Tool
    operation: Operation
    """What scripts and prompts see of it: its name there, its parameters and its fields."""
    parameters: ToolParameters
    """Its parameters, with both names of each: the tool's own, and the one in scripts."""

    def arguments(self, script_arguments: Mapping[str, Plain]) -> dict[str, Any]:
        """Return converted copies of a call's arguments, as the function takes them.

        Raises `CallError` for a value that does not fit the function's signature.
        """
        arguments = {}
        for parameter in self.parameters.in_scripts:
            if parameter.name not in script_arguments:
                continue
            value = script_arguments[parameter.name]
            # If a parameter does not accept None, an argument None means that the script leaves
            # the parameter out, as the scripts of models often do.
            if value is None and schema_fault(None, parameter.schema or {}):
                continue
            own_name = self.parameters.own_names[parameter.name]
            arguments[own_name] = copy.deepcopy(value)
        if self.tool.schema is not None:
            return arguments  # Only a signature has types to convert to.
        try:
            call = ArgsKwargs((), arguments)  # All arguments are passed by name.
            converted = self.tool.converter.validate_python(call)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            place = ".".join(map(str, fault["loc"]))
            message = f"{self.operation.name}: {place}: {fault['msg']}"
            raise CallError(error_codes.INVALID_ARGUMENT, message) from None
        # Pydantic adds defaults, which the function fills in itself.
        return {name: converted[name] for name in arguments}

    def result(
        self, arguments: Mapping[str, object], value: object
    ) -> dict[str, Plain]:
        """Return the fields of a call's result: `value` as JSON, and `call_path` to cite it.

        If the value cannot be passed on, a call that only read raises `CallError`. A
        call that may have changed something counts as made: its value is null, and a
        note says why.
        """
        try:
            text = json_text(self.tool.name, value)
            return self._result(arguments, text)
        except CallError as error:
            if self.operation.effect is Effect.RETURNS:  # The call only read.
                raise
            result = self._result(arguments, "null")
            note = f"the call was made, and its result cannot be shown: {error.message}"
            result[_NOTE] = note[:MAX_FAULT_CHARS]
            return result

    def _result(self, arguments: Mapping[str, object], text: str) -> dict[str, Plain]:
        """Return the fields of a result whose value is the JSON `text`."""
        name = self.operation.name
        path = result_path(f"/calls/{name}", arguments, text)
        return citable_result(name, path, value=text)


# Plain Python functions as tools that scripts call.
#
# A benchmark declares `Tool(pay, "acts")`: its function `pay`, and that a call may change
# something. A trial turns it into a `DeclaredTool`: the operation `harness.pay(...)` that
# scripts call, with the conversion of arguments and results.

# Converts JSON schemas of other benchmarks, which use Python's type names (`dict`, `float`).
#
# `{"type": "dict"}` becomes `{"type": "object"}`, as JSON Schema has it.

_JSON_TYPES: Final = (
    "array",
    "boolean",
    "integer",
    "null",
    "number",
    "object",
    "string",
)
_TYPES_OF_DIALECTS: Final[Mapping[str, str]] = {
    "bool": "boolean",
    "dict": "object",
    "double": "number",
    "float": "number",
    "int": "integer",
    "list": "array",
    "none": "null",
    "str": "string",
    "tuple": "array",
}
"""The type of JSON Schema for each type name of another dialect, in lower case."""
_ANY_TYPE: Final = "any"
_UNTYPED: Final = (_ANY_TYPE, "")
"""Type names that allow any value."""
_MAX_LEVELS: Final = 50
"""The number of nested levels of a schema that are read. The arguments of no tool need more."""

_MAPPINGS_OF_SCHEMAS: Final = (
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
)
_LISTS_OF_SCHEMAS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_SINGLE_SCHEMAS: Final = ("items", "additionalProperties", "not")


def _in_json_schema(schema: Any, level: int = 0) -> Any:
    """Return a schema, or a part of one, with the types of JSON Schema.

    `true` and `false`, which are schemas, too, stay. Raises `ValueError` for an unknown type.
    """
    if not isinstance(schema, Mapping):
        return schema
    if level > _MAX_LEVELS:
        msg = f"a schema has at most {_MAX_LEVELS} levels"
        raise ValueError(msg)
    names = _type_names(schema.get("type", _ANY_TYPE))
    translated = {}
    for key, value in schema.items():
        translated[key] = value
        if key in _MAPPINGS_OF_SCHEMAS and isinstance(value, Mapping):
            parts = {
                name: _in_json_schema(part, level + 1) for name, part in value.items()
            }
            translated[key] = parts
        elif key in _LISTS_OF_SCHEMAS and isinstance(value, list):
            translated[key] = [_in_json_schema(part, level + 1) for part in value]
        elif key in _SINGLE_SCHEMAS:
            translated[key] = _in_json_schema(value, level + 1)
    translated.pop("type", None)
    if names:
        translated["type"] = names[0] if len(names) == 1 else names
    return translated


def _type_names(type_value: Any) -> list[str]:
    """Return the names of JSON Schema for a `type`; an empty list if every value is allowed."""
    given_names = type_value if isinstance(type_value, list) else [type_value]
    names = []
    for given_name in given_names:
        folded = str(given_name).strip().casefold()
        if folded in _UNTYPED:
            return []
        name = _TYPES_OF_DIALECTS.get(folded, folded)
        if name not in _JSON_TYPES:
            known = ", ".join(_JSON_TYPES)
            msg = f"the type {given_name!r} is not one of JSON Schema: {known}"
            raise ValueError(msg)
        names.append(name)
    return names


# A tool's arguments as a schema that the tool was given, instead of its function's signature.
#
# The schema may be a JSON schema, or a whole tool definition in the form of a model's API.

_SHOWN_VALUE_CHARS: Final = 200
_MAX_SCHEMA_SIZE: Final = 2_000_000
"""The most values and characters of a schema. One whose parts are the same objects of Python can
be small, and endless as JSON."""


def _given_schema(tool: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema that a tool was given, as JSON schema: the type `float` becomes `number`.

    `tool` is its name, for the message. Raises `ValueError` if it does not describe an object.
    """
    try:
        schema: dict[str, Any] = _in_json_schema(given)
    except ValueError as error:
        msg = f"the schema of the tool {tool}: {error}"
        raise ValueError(msg) from None
    is_object = schema.get("type", "object") == "object" and "$ref" not in schema
    if is_object and isinstance(schema.get("properties", {}), Mapping):
        return schema
    shown = repr(given)[:_SHOWN_VALUE_CHARS]
    msg = f"the schema of the tool {tool} describes no object of arguments: {shown}"
    raise ValueError(msg)


def _plain_schema(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a schema as JSON holds it. The journal and the prompt contain it.

    `tool` is its name, for the message. Raises `ValueError` if it is too large, or if a value
    in it is not JSON, such as a set, or contains itself.
    """
    if _size(given) > _MAX_SCHEMA_SIZE:
        limit = f"{_MAX_SCHEMA_SIZE:,} values and characters"
        msg = f"the schema of the tool {tool} has more than {limit}, or contains itself"
        raise ValueError(msg)
    try:
        copy: dict[str, Any] = json.loads(json.dumps(given, default=_as_dict))
    except (TypeError, ValueError) as error:
        msg = f"the schema of the tool {tool} is not JSON: {error}"
        raise ValueError(msg) from None
    except RecursionError:
        msg = f"the schema of the tool {tool} is nested too deeply"
        raise ValueError(msg) from None
    return copy


def _size(schema: object) -> int:
    """Return the number of values and characters of a schema; counted up to the limit."""
    size = 0
    uncounted = [schema]
    while uncounted and size <= _MAX_SCHEMA_SIZE:
        value = uncounted.pop()
        size += 1
        if isinstance(value, str):
            size += len(value)
        elif isinstance(value, Mapping):
            uncounted += [*value, *value.values()]
        elif isinstance(value, list | tuple):
            uncounted += value
    return size


def _as_dict(value: object) -> dict[Any, Any]:
    """Return a mapping that is not a dict as one. Raises `TypeError` for anything else."""
    if isinstance(value, Mapping):
        return dict(value)
    msg = f"it has a {type(value).__name__}"
    raise TypeError(msg)


def _definition_in(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the tool definition that `schema` is, or None if `schema` is a JSON schema.

    OpenAI's forms are `{"function": {"name", "description", "parameters"}}`
    and the inner mapping alone. Anthropic's form has `input_schema`
    in place of `parameters`.
    """
    function = schema.get("function")
    definition = function if isinstance(function, Mapping) else schema
    parameters = definition.get("parameters", definition.get("input_schema"))
    if not isinstance(parameters, Mapping):
        return None
    return {**definition, "parameters": parameters}


# The public methods of an object, and which of them only read.
#
# A benchmark may offer all methods of a class, such as a bank, as tools of scripts.


def _public_methods(source: object) -> list[str]:
    """Return the names of an object's public methods, those of base classes first."""
    names: dict[str, None] = {}
    kind = type(source)
    for owner in reversed(kind.__mro__[:-1]):  # without `object`
        for name in vars(owner):
            # Asked of the class, because a property of the object would be computed.
            if not name.startswith("_") and inspect.isroutine(getattr(kind, name)):
                names[name] = None
    return list(names)


# The arguments of a tool, from its function's signature.
#
# For `def pay(amount: Decimal)`, the schema for prompts and the conversion of arguments both
# come from the signature, by pydantic.

_UNNAMED_KINDS: Final = (
    inspect.Parameter.VAR_POSITIONAL,
    inspect.Parameter.VAR_KEYWORD,
    inspect.Parameter.POSITIONAL_ONLY,
)
"""Parameters that cannot be passed by name, as scripts do."""


def _check_signature(tool: str, function: Callable[..., object]) -> None:
    """Raise `ValueError` if scripts cannot call a function, since it is async, or has `*args`.

    `tool` is the tool's name, for the message.
    """
    if inspect.iscoroutinefunction(function):
        msg = f"the tool {tool} is async: give a function that returns its result"
        raise ValueError(msg)
    try:
        parameters = inspect.signature(function).parameters
    except ValueError as error:  # Some functions that are written in C have none.
        msg = f"the tool {tool}: {error}: give it a schema"
        raise ValueError(msg) from None
    for parameter in parameters.values():
        if parameter.kind in _UNNAMED_KINDS:
            msg = f"the tool {tool} takes {parameter}: name its parameters, or give it a schema"
            raise ValueError(msg)


def _argument_converter(function: Callable[..., object]) -> TypeAdapter[Any]:
    """Return an adapter that converts arguments to the types in a function's signature.

    For `def pay(amount: Decimal)`, it converts `{"amount": 12.5}` to `{"amount":
    Decimal("12.5")}`. Pydantic's own adapter of a function would also call it. So this
    one is made for another function, with the same signature, that returns its arguments.
    """

    def return_arguments(**arguments: object) -> dict[str, object]:
        return arguments

    same_signature: Any = wraps(function)(return_arguments)
    # Annotations may be texts with names of the function's module, which pydantic does
    # not see. So put in the types themselves.
    same_signature.__annotations__ = get_type_hints(function, include_extras=True)
    return TypeAdapter(same_signature)


_EFFECTS: Final = ("returns", "acts", "")
"""What a tool may say of its calls. Without an effect, the tool is refused when a run begins."""
RESERVED: Final = ("answer", "tools")
"""Names that no tool can have, as scripts already call `harness.answer` and `harness.tools`."""
ENDED: Final = "ended"
"""A result field. It is true if the environment ended the trial with this call."""


@dataclass(frozen=True)
class Tool:
    """A function that scripts call as `harness.NAME(...)`.

    Its parameters come from its signature; pydantic then converts arguments
    to the types in it. With `schema`, the parameters come from there, and arguments
    are passed unconverted. The function gets copies of the arguments, without
    those that a script leaves out.

    The returned value is converted to JSON's types (pydantic models, dataclasses,
    dates, `Decimal`, `bytes` and sets included). If it cannot be converted, a call that
    only reads fails. A call that acts has already been made, so it succeeds with the
    value None and a note.

    `ValueError`, `LookupError`, `RuntimeError`, `OSError` and similar exceptions mean
    that the tool refuses this call; scripts see the exception's text. A `CallError`
    also keeps its code. Any other exception is a fault of the benchmark.
    """

    function: Callable[..., object]
    effect: Literal["returns", "acts", ""] = ""
    """`returns` if a call only reads. `acts` if it may change something:
    such a call is recorded before it is made, and repeated when a trial is resumed.
    There is no default, and a tool without an effect is refused."""
    name: str = ""
    """The tool's name; empty for the function's own name. A name
    that is not valid in scripts is adapted, and the prompt says so."""
    description: str = ""
    """The tool's purpose, in one line of the prompt; if empty, the docstring's first paragraph."""
    schema: Mapping[str, Any] | None = None
    """The JSON schema of the arguments, an object. It may also be a tool
    definition of OpenAI's API, with the schema, the name and the description
    under `function`. None: the function's signature. Python's type names (`dict`,
    `float`) are accepted, too. It is copied as JSON; a value that is not JSON, such as a
    set, is refused when the tool is made."""
    longest_s: float = 0.0
    """The seconds that a call may take in addition to the 60 s of its script.
    0: a call is short, and its time counts as time of the script."""
    is_undeclared: bool = False
    """True if it is not known whether a call changes something.
    The effect `acts` is then only a precaution."""
    keys: tuple[str, ...] = ()
    """The arguments by which the tool looks up a record, such as `ticket_id`.

    A script may have found the value of an argument in a text, where anyone could have
    written it. If this tool finds a record by it, the value counts as one of the
    record's own from then on."""
    is_strict: bool = False
    """With `schema`: refuse a value that does not fit the schema.
    By default, the call is made, and the script is told about the misfit."""
    first_turn: int = 0
    """The turn of the conversation with a user, from 0, in which the tool becomes available."""
    last_turn: int | None = None
    """The last turn in which the tool is available; None if it stays available."""

    def __post_init__(self) -> None:
        """Fill in empty fields from a tool definition in `schema`, and from the function."""
        if self.schema is not None and not isinstance(self.schema, Mapping):
            name = self.name or getattr(self.function, "__name__", "tool")
            kind = type(self.schema).__name__
            msg = f"the schema of the tool {name} is not a dict, but a {kind}"
            raise ValueError(msg)
        definition = None
        if self.schema is not None:
            definition = _definition_in(self.schema)
        if definition is not None:
            self._set("name", self.name or definition.get("name", ""))
            description = self.description or definition.get("description") or ""
            self._set("description", description)
            self._set("schema", definition["parameters"])
        self._check_fields()
        if not self.name:
            self._set("name", getattr(self.function, "__name__", "tool"))
        if self.schema is not None:
            self._set("schema", _plain_schema(self.name, self.schema))

    def _check_fields(self) -> None:
        """Raise `TypeError` for a field of another kind, and `ValueError` for what is no function.

        `functools.partial(pay, account=1)` needs a schema: it has neither a name nor types of its own.
        """
        shown = repr(self.function)[:_SHOWN_VALUE_CHARS]
        name = self.name or getattr(self.function, "__name__", shown)
        msg = ""
        check_kind("the name of a tool", self.name, str, "is a text")
        check_kind(f"the description of {name}", self.description, str, "is a text")
        check_kind(f"the keys of {name}", self.keys, list | tuple, "are a list")
        if self.effect not in _EFFECTS:
            msg = f"the effect of {name} is returns or acts, not {self.effect!r}"
        elif not callable(self.function):
            msg = f"a tool is made of a function, not of {shown}"
        elif self.schema is None and not hasattr(self.function, "__name__"):
            msg = (
                f"a tool cannot be made of {shown}, which has no name and no types: "
                "give it a function that calls this one, or a name and a schema"
            )
        if msg:
            raise ValueError(msg)

    def _set(self, field: str, value: object) -> None:
        """Set a field while the tool is created. A frozen dataclass allows only this."""
        object.__setattr__(self, field, value)

    @classmethod
    def of(cls, source: object, *, reads: Sequence[str] = ()) -> list[Tool]:
        """Return a tool for each public method of an object, in the order of its class.

        Methods whose names match a pattern of `reads`, as in `reads=("get_*",
        "list_*")`, only read. All others act. Raises `ValueError` if a pattern
        matches no method.
        """
        names = _public_methods(source)
        only_read: set[str] = set()
        for pattern in reads:
            matching = fnmatch.filter(names, pattern)
            if not matching:
                kind = type(source).__name__
                msg = f"{kind} has no method {pattern!r}: {', '.join(names)}"
                raise ValueError(msg)
            only_read.update(matching)
        tools = []
        for name in names:
            effect: Literal["returns", "acts"] = "acts"
            if name in only_read:
                effect = "returns"  # It returns a value, and changes nothing.
            tools.append(cls(getattr(source, name), effect, name))
        return tools

    def declared(self, taken: Collection[str]) -> DeclaredTool:
        """Return the tool as scripts call it, under a name that is not in `taken`.

        For example, the function `get_order(id: int)` becomes the operation `get_order`
        with the parameter `id`. It is called as `harness.get_order(7)`, and its result
        has the fields `value` and `call_path`, the path to cite it by.

        Raises `ValueError` for a signature that scripts cannot call, or for a schema that
        does not describe an object.
        """
        parameters = ToolParameters.of_schema(self.argument_schema())
        for key in self.keys:
            if key not in parameters.own_names:
                msg = (
                    f"the tool {self.name} has no argument {key!r}, which its keys name"
                )
                raise ValueError(msg)
        name = script_name(self.name, taken, RESERVED)
        effect = Effect.UNDECLARED
        if self.effect:
            effect = Effect(self.effect)
        # A misfit with a given schema is only noted, unless the tool is strict. Arguments
        # for a function's signature are checked when they are converted.
        accepts_misfits = self.schema is not None and not self.is_strict
        operation = Operation(
            name,
            parameters.in_scripts,
            fields=(ResultField("value"), ResultField("call_path")),
            summary=_summary(self, name),
            effect=effect,
            is_undeclared=self.is_undeclared,  # The effect is only a precaution.
            subject="",  # The tool does not act on a path of the trial's files.
            parsed_field="value",  # It holds JSON, and scripts get the data in it.
            has_own_defaults=True,  # The function fills in what a script leaves out.
            judges_arguments=accepts_misfits,
            keys=self.keys,  # The arguments that look up a record.
            is_later=self.first_turn > 0,  # The first message does not list it.
            longest_s=self.longest_s,  # In addition to the time of the script.
            ends_trial=ENDED,  # If this field of a result is true, the trial is over.
        )
        return DeclaredTool(self, operation, parameters)

    @property
    def is_always_available(self) -> bool:
        """True if scripts can call the tool in every turn of the conversation."""
        return self.first_turn == 0 and self.last_turn is None

    def is_available(self, turn: int) -> bool:
        """Return True if scripts can call the tool in this turn of the conversation."""
        if self.last_turn is not None and turn > self.last_turn:
            return False
        return turn >= self.first_turn

    def argument_schema(self) -> Mapping[str, Any]:
        """Return the JSON schema of the arguments. Raises `ValueError` if there is none."""
        if self.schema is not None:
            return _given_schema(self.name, self.schema)
        try:
            _check_signature(self.name, self.function)
            schema = self.converter.json_schema()
        except (NameError, PydanticUserError) as error:
            # A name that the annotations use is not defined, or a type has no form in JSON.
            reason = str(error).partition("\n")[0].partition(". ")[0]
            msg = f"the tool {self.name} has a parameter that no script can pass: {reason}"
            raise ValueError(msg) from error
        for property_schema in schema["properties"].values():
            property_schema.pop("title", None)
        return schema

    @cached_property
    def converter(self) -> TypeAdapter[Any]:
        """Converts arguments to the types in the function's signature."""
        return _argument_converter(self.function)


def _summary(tool: Tool, name_in_scripts: str) -> str:
    """Return the tool's purpose in one line, without a full stop: `Cancels an order`."""
    documentation = tool.description or inspect.getdoc(tool.function) or ""
    first_paragraph = documentation.split("\n\n")[0]
    summary = " ".join(first_paragraph.split())
    if name_in_scripts != tool.name:
        summary = f"{summary} (called {tool.name} elsewhere)".strip()
    return summary.rstrip(".")
