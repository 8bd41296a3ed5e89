"""Plain Python functions as tools that scripts call.

A benchmark declares `Tool(pay, "acts")`: its function `pay`, and that a call may change
something. A trial turns it into a `DeclaredTool`: the operation `harness.pay(...)` that
scripts call, with the conversion of arguments and results.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from pydantic import TypeAdapter

from controlplane.sandbox.interface import Effect, Operation, ResultField
from controlplane.tools.declared_tool import DeclaredTool
from controlplane.tools.given_schemas import ApiTool, given_schema, plain_schema
from controlplane.tools.object_methods import methods_that_only_read, public_methods
from controlplane.tools.script_names import script_name
from controlplane.tools.tool_parameters import ToolParameters
from controlplane.tools.tool_signature import (
    argument_converter,
    check_signature,
    signature_schema,
)

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
        definition = ApiTool.of(self.schema) if self.schema is not None else None
        if definition is not None:
            self._set("name", self.name or definition.name)
            self._set("description", self.description or definition.description)
            self._set("schema", definition.schema)
        if not self.name:
            self._set("name", getattr(self.function, "__name__", "tool"))
        if self.schema is not None:
            self._set("schema", plain_schema(self.name, self.schema))

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
        only_read = methods_that_only_read(source, reads)
        tools = []
        for name in public_methods(source):
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
            return given_schema(self.name, self.schema)
        check_signature(self.name, self.function)
        return signature_schema(self.converter)

    @cached_property
    def converter(self) -> TypeAdapter[Any]:
        """Converts arguments to the types in the function's signature."""
        return argument_converter(self.function)


def _summary(tool: Tool, name_in_scripts: str) -> str:
    """Return the tool's purpose in one line, without a full stop: `Cancels an order`."""
    documentation = tool.description or inspect.getdoc(tool.function) or ""
    first_paragraph = documentation.split("\n\n")[0]
    summary = " ".join(first_paragraph.split())
    if name_in_scripts != tool.name:
        summary = f"{summary} (called {tool.name} elsewhere)".strip()
    return summary.rstrip(".")
