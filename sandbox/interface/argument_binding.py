"""The arguments of a call by parameter name, checked against the operation's declaration.

harness.find("*.md", limit=3)     {"name": "*.md", "root": "/", "limit": 3}
harness.find(limit="3")           an error that shows the signature: `find(name: str, ...)`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import INVALID_ARGUMENT, CallError
from controlplane.sandbox.interface.operations import CHECK, Operation, Parameter, Plain
from controlplane.sandbox.interface.schemas import schema_fault, type_text

# Operations as a script writes their calls: `harness.find(name, root='/', limit=10)`.


def signature(operation: Operation) -> str:
    """Return the call of an operation, with its parameters and their defaults."""
    parameters = list(operation.parameters)
    if operation.takes_check:
        parameters.append(CHECK)
    name = f"tools.{operation.name}" if operation.is_function else operation.name
    parameter_texts = [_parameter_text(parameter) for parameter in parameters]
    return f"harness.{name}({', '.join(parameter_texts)})"


def _parameter_text(parameter: Parameter) -> str:
    """Return a parameter as Python writes it: `limit=10`, or with its type `limit: int = 10`."""
    if parameter.schema:
        text = f"{parameter.name}: {type_text(parameter.schema)}"
        return text if parameter.is_required else f"{text} = {parameter.default!r}"
    if parameter.is_required:
        return parameter.name
    return f"{parameter.name}={parameter.default!r}"


class UnboundArguments(CallError, TypeError):
    """The arguments of a call do not fit its declaration; the message shows the signature.

    It is a `CallError`, as for every failed call, and a `TypeError`, as for every
    Python function that is called with wrong arguments.
    """

    def __init__(self, operation: Operation, fault: str) -> None:
        """`fault` follows the signature, so it begins with a blank or a colon."""
        super().__init__(INVALID_ARGUMENT, signature(operation) + fault)
        # A `TypeError` has only its message, without the code.
        self.args = (self.message,)


def bound_arguments(
    operation: Operation,
    positional: Sequence[Any],
    named: Mapping[str, Any],
    *,
    with_check: bool = False,
) -> dict[str, Plain]:
    """Return the arguments of a call by parameter name, with defaults.

    For `harness.find("*.md", limit=3)`: `{"name": "*.md", "root": "/", "limit": 3}`.
    `with_check` binds `check`, too, if the operation takes it. Raises
    `UnboundArguments`.
    """
    parameters = operation.parameters
    if with_check and operation.takes_check:
        parameters = (*parameters, CHECK)
    arguments = _arguments_by_name(operation, parameters, positional, named)

    bound: dict[str, Plain] = {}
    for parameter in parameters:
        if parameter.name in arguments:
            value = arguments[parameter.name]
            bound[parameter.name] = _checked_value(operation, parameter, value)
        elif parameter.is_required:
            raise UnboundArguments(operation, f" needs {parameter.name!r}")
        elif not operation.has_own_defaults:  # else the environment fills it in
            default: Any = parameter.default
            if isinstance(default, list | tuple):
                # JSON has no tuples, and each call has a list of its own.
                default = list(default)
            bound[parameter.name] = default
    return bound


def _arguments_by_name(
    operation: Operation,
    parameters: Sequence[Parameter],
    positional: Sequence[Any],
    named: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the arguments of a call by parameter name, without defaults.

    For `find("*.md", limit=3)`: `{"name": "*.md", "limit": 3}`. Raises `UnboundArguments`
    if there are too many, if one is given twice, or if a name is unknown.
    """
    if len(positional) > len(parameters):
        fault = f" takes {len(parameters)} arguments, {len(positional)} were given"
        raise UnboundArguments(operation, fault)

    arguments: dict[str, Any] = {}
    for parameter, value in zip(parameters, positional, strict=False):
        arguments[parameter.name] = value
    for name, value in named.items():
        if name in arguments:
            raise UnboundArguments(operation, f" got two values for {name!r}")
        arguments[name] = value

    if named:
        known_names = [parameter.name for parameter in parameters]
        for name in named:
            if name not in known_names:
                shown_name = name[: bounds.SHOWN_FAULT_CHARS]
                raise UnboundArguments(operation, f" has no argument {shown_name!r}")
    return arguments


def _checked_value(operation: Operation, parameter: Parameter, value: Any) -> Any:
    """Return an argument in JSON's own types: `(1, 2)` -> `[1, 2]`, and 2.0 for an int -> 2.

    Raises `UnboundArguments` if it does not fit its schema. A default need not fit:
    None often means that the argument is left out, and schemas do not mention that.
    """
    value = _unwrapped(operation, parameter, value)
    is_default = value is parameter.default
    if is_default and not isinstance(value, tuple):  # JSON has lists, but no tuples.
        return value

    # A tool with `judges_arguments` checks them itself, so any argument is passed on.
    fault = schema_fault(value, parameter.json_schema)
    if fault and not operation.judges_arguments:
        text = f": {parameter.name}{fault}"[: bounds.SHOWN_FAULT_CHARS]
        if parameter.type == "list[str]" and isinstance(value, str):
            text += f"; write [{value!r:.80}]"
        raise UnboundArguments(operation, text)

    # Convert what Python distinguishes and JSON does not.
    if isinstance(value, tuple):
        return list(value)
    if parameter.type == "int" and isinstance(value, float):
        return int(value)  # 2.0 fits the schema of an integer.
    return value


def _unwrapped(operation: Operation, parameter: Parameter, value: Any) -> Any:
    """Return an argument in a plain form: the entry `{"path": "/a.md", ...}` -> `/a.md`.

    A list of a script's own class becomes a plain list. A result with a path, such as an
    entry of `harness.list`, becomes the path where the parameter takes one.
    """
    if issubclass(type(value), list):
        # `list(value)` would call `__iter__` of the script's class, which may do anything.
        return list(list.__iter__(value))
    if isinstance(value, dict) and _takes_path(operation, parameter):
        return dict.get(value, "path")
    return value


def _takes_path(operation: Operation, parameter: Parameter) -> bool:
    """Return True if a script may pass a result with a path in place of this argument.

    That holds for the path on which an operation works (its `subject`), and for every text
    of a function of the benchmark.
    """
    if parameter.type != "str":
        return False
    return operation.is_function or parameter.name == operation.subject


def argument_notes(operation: Operation, arguments: Mapping[str, Plain]) -> list[str]:
    """Return a note for the model about each argument that does not fit its declared schema.

    Only for a tool that itself checks its arguments (`judges_arguments`). Such a call is made
    in any case, because the tool may accept more than it declares.
    """
    if not operation.judges_arguments:
        return []
    notes = []
    for parameter in operation.parameters:
        if parameter.name in arguments:
            fault = schema_fault(arguments[parameter.name], parameter.json_schema)
            if fault:
                fault_text = f"{parameter.name}{fault}"[: bounds.SHOWN_FAULT_CHARS]
                notes.append(
                    f"{operation.name} declares that {fault_text}; the tool decided."
                )
    return notes
