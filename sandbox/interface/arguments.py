"""The arguments of a declared call: bound by name, checked by type, shown as a signature."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from sandbox.interface.operations import CHECK, REQUIRED, Operation, Parameter, Plain

MAX_WORDS: Final = 1_000
"""Strings of a list in a call."""
MAX_BITS: Final = 64
"""Bits of a whole number in a call. No call needs more, and a longer one may have too many digits to be sent."""


def _is_whole(value: Any) -> bool:
    return issubclass(type(value), int) and type(value) is not bool


_CHECKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "str": ("a string", lambda value: issubclass(type(value), str)),
    "int": ("a whole number", lambda value: _is_whole(value) and int.bit_length(value) <= MAX_BITS),
    "bool": ("True or False", lambda value: type(value) is bool),
    "list[str]": (
        "a list of strings",
        lambda value: (
            type(value) in (list, tuple)
            and len(value) <= MAX_WORDS
            and all(issubclass(type(each), str) for each in value)
        ),
    ),
}
"""By declared type: its name, and a test of the value's real type, whatever its class says of itself."""


def fits(kind: str, value: Any) -> bool:
    """Say whether a value is of a declared parameter type; an unknown type lets every plain value through."""
    return kind not in _CHECKS or _CHECKS[kind][1](value)


def bound_arguments(
    operation: Operation,
    given: tuple[Any, ...],
    named: dict[str, Any],
    hint: Callable[[str, Iterable[str]], str] = lambda name, known: "",
) -> dict[str, Plain]:
    """Return the arguments by parameter name, defaults filled in. Raises `TypeError` that shows the signature.

    `hint` says what a message adds about an unknown name.
    """
    return _bound(operation, operation.parameters, given, named, hint)


def script_arguments(
    operation: Operation, given: tuple[Any, ...], named: dict[str, Any], hint: Callable[[str, Iterable[str]], str]
) -> tuple[dict[str, Plain], bool]:
    """Return the arguments that a script's call sends, and whether it passed `check=True`. Raises `TypeError`."""
    arguments = _bound(operation, _parameters(operation), given, named, hint)
    return arguments, operation.takes_check and arguments.pop(CHECK.name) is True


def _parameters(operation: Operation) -> tuple[Parameter, ...]:
    """Return what a script may pass."""
    return (*operation.parameters, CHECK) if operation.takes_check else operation.parameters


def _bound(
    operation: Operation,
    parameters: tuple[Parameter, ...],
    given: tuple[Any, ...],
    named: dict[str, Any],
    hint: Callable[[str, Iterable[str]], str],
) -> dict[str, Plain]:
    if len(given) > len(parameters):
        msg = f"{signature(operation)} takes {len(parameters)} arguments, {len(given)} were given"
        raise TypeError(msg)
    arguments: dict[str, Any] = dict(zip((each.name for each in parameters), given, strict=False))
    for name, value in named.items():
        if name in arguments:
            msg = f"{signature(operation)} got two values for {name!r}"
            raise TypeError(msg)
        arguments[name] = value
    known = {each.name: each for each in parameters}
    for name in arguments:
        if name not in known:
            msg = f"{signature(operation)} has no argument {name!r}{hint(name, known)}"
            raise TypeError(msg)
    for each in parameters:
        if each.name not in arguments:
            if each.default is REQUIRED:
                msg = f"{signature(operation)} needs {each.name!r}"
                raise TypeError(msg)
            arguments[each.name] = each.default
        value = arguments[each.name]
        if issubclass(type(value), list):
            value = arguments[each.name] = list(list.__iter__(value))
        if not fits(each.type, value):
            said = f"{each.name} is {_CHECKS[each.type][0]}, not {type(value).__name__}{_remedy(each.type, value)}"
            msg = f"{signature(operation)}: {said}"
            raise TypeError(msg)
        if isinstance(value, tuple):
            arguments[each.name] = list(value)
    return {each.name: arguments[each.name] for each in parameters}


def _remedy(kind: str, value: Any) -> str:
    """Return what is wrong with a value besides its type, or what to write instead; empty if the type says it all."""
    if kind == "int" and _is_whole(value):
        return f" of more than {MAX_BITS} bits"
    if kind != "list[str]":
        return ""
    if isinstance(value, str):
        return f"; write [{value!r:.80}]"
    if type(value) in (list, tuple) and len(value) > MAX_WORDS:
        return f" of {len(value)}; at most {MAX_WORDS} are passed"
    odd = {type(each).__name__ for each in value if not isinstance(each, str)} if type(value) in (list, tuple) else ()
    return f" with {', '.join(sorted(odd))} in it; write str(...) around each" if odd else ""


def signature(operation: Operation) -> str:
    """Return the call as a script writes it: `harness.find(name, root='/', kind='all', limit=10)`."""
    parts = [
        each.name if each.default is REQUIRED else f"{each.name}={each.default!r}" for each in _parameters(operation)
    ]
    called = f"tools.{operation.name}" if operation.finds else operation.name
    return f"harness.{called}({', '.join(parts)})"
