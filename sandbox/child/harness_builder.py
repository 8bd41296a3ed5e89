"""Builds `harness` for a script from what the environment declares."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from sandbox.interface.arguments import script_arguments
from sandbox.interface.operations import Operation
from sandbox.interface.script_objects import Ask, HarnessError, Record, Tree, document_type, wrapped

ELSEWHERE: Final = {
    "cite": "scratchpad.cite(path, reason, quote)",
    "uncite": "scratchpad.uncite(path)",
    **dict.fromkeys(("submit", "finish", "done"), "harness.answer(scratchpad, verify)"),
    **dict.fromkeys(("log", "print"), "print(...)"),
}
"""What scripts look for in `harness` that is elsewhere or has another name."""
SYNONYMS: Final = {
    **dict.fromkeys(("open", "cat", "load", "get"), "read"),
    **dict.fromkeys(("run", "call", "execute", "shell", "sql", "bash"), "exec"),
    **dict.fromkeys(("grep", "query"), "search"),
    **dict.fromkeys(("glob", "locate"), "find"),
    **dict.fromkeys(("ls", "dir", "listdir"), "list"),
    **dict.fromkeys(("rm", "remove", "unlink"), "delete"),
    **dict.fromkeys(("save", "put", "create"), "write"),
    **dict.fromkeys(("exists", "info"), "stat"),
}
"""Names that other tools give an operation, and its name here."""
NONZERO_EXIT: Final = "nonzero_exit"
"""The code of a `HarnessError` for a tool that did not end with exit code 0."""
_MAX_SAID_CHARS: Final = 400


def build_harness(operations: tuple[Operation, ...], ask: Ask, answer: Callable[..., None]) -> Any:
    """Return the object behind the name `harness`: one method for each operation, and `answer`."""
    methods: dict[str, Any] = {each.name: _method(each, ask) for each in operations if not each.finds}
    methods["answer"] = _answering(answer)
    tools: dict[str, Any] = {each.name: _method(each, ask) for each in operations if each.finds}
    for name, tool in tools.items():
        tool.__name__ = tool.__qualname__ = f"tools.{name}"
    elsewhere = ELSEWHERE | {name: f"harness.tools.{name}" for name in tools}
    return _namespace(
        "harness", methods | ({"tools": _namespace("harness.tools", tools, {})} if tools else {}), elsewhere
    )


def _namespace(called: str, members: dict[str, Any], elsewhere: Mapping[str, str]) -> Any:
    """Return an object with these members, which says what it has to whoever looks for another."""
    names = sorted(members)

    class Namespace:
        __slots__ = ()

        def __getattr__(self, name: str) -> Any:
            synonym = SYNONYMS.get(name)
            near = [synonym] if synonym in names else difflib.get_close_matches(name, names, n=1)
            meant = elsewhere.get(name) or "".join(f"{called}.{each}" for each in near)
            hint = f"did you mean {meant}? It" if meant else "it"
            msg = f"{called} has no {name!r}; {hint} has {', '.join(names)}."
            raise AttributeError(msg)

        def __repr__(self) -> str:
            return f"<{called}: {', '.join(names)}>"

        def __init_subclass__(cls) -> None:
            msg = f"{called} cannot be subclassed"
            raise TypeError(msg)

    for name, member in members.items():
        setattr(Namespace, name, staticmethod(member) if callable(member) else member)
    return Namespace()


def _answering(answer: Callable[..., None]) -> Callable[..., None]:
    """Return `answer` as a function, so that messages count the arguments that the script gave."""

    def call(scratchpad: Any = None, verify: Any = None) -> None:
        answer(scratchpad, verify)

    call.__name__ = call.__qualname__ = "harness.answer"
    call.__doc__ = answer.__doc__
    return call


def _hint(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _exit_text(operation: Operation, arguments: dict[str, Any], result: dict[str, Any]) -> str:
    """Return what a tool that did not end with exit code 0 said."""
    said = str(result.get("stderr") or result.get("stdout") or "").strip()[:_MAX_SAID_CHARS]
    what = f"{arguments.get(operation.subject)} ended with exit code {result[operation.exit_field]}"
    return f"{what}: {said}" if said else what


def _method(operation: Operation, ask: Ask) -> Callable[..., Any]:
    kind: type[Record] = Record
    if operation.drawn_as_tree:
        kind = Tree
    elif operation.json_field:
        kind = document_type(operation.json_field)

    def call(*given: Any, **named: Any) -> Any:
        arguments, is_checked = script_arguments(operation, given, named, _hint)
        result = ask("call", [operation.name, arguments])
        if is_checked and result.get(operation.exit_field):
            raise HarnessError(NONZERO_EXIT, _exit_text(operation, arguments, result))
        return wrapped(result, kind)

    call.__name__ = call.__qualname__ = operation.name
    call.__doc__ = operation.summary
    return call
