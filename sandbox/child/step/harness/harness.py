"""`harness`: the object through which a script calls its environment.

It has a method for each declared operation, such as `harness.read(path)`. Results are
mappings whose keys can also be read as attributes. A name or parameter that does not
exist raises an error with a suggestion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

from controlplane.sandbox.child.language.module_facades import facade
from controlplane.sandbox.child.step.harness.harness_methods import (
    answer_method,
    operation_method,
)
from controlplane.sandbox.child.step.harness.long_texts import Call
from controlplane.sandbox.child.step.harness.missing_members import (
    OTHER_NAMES,
    suggested_member,
)
from controlplane.sandbox.functions import Call as FunctionCall
from controlplane.sandbox.functions import Harness, Outcome
from controlplane.sandbox.interface.operations import Operation


def build_harness(
    operations: tuple[Operation, ...], call: Call, answer: Callable[[Any, Any], None]
) -> Any:
    """Return the object behind the name `harness`: a method for each operation, and `answer`."""
    # 1. Make a method for each operation.
    methods: dict[str, Any] = {}
    tools_by_server: dict[str, dict[str, Any]] = {}
    benchmark_functions: dict[str, Any] = {}
    for operation in operations:
        name = operation.name
        server, dot, tool = name.partition(".")
        if operation.is_function:
            # a function of the benchmark, called as `harness.tools.NAME(...)`
            benchmark_functions[name] = operation_method(
                operation, f"tools.{name}", call
            )
        elif dot:  # a tool of an MCP server, called as `harness.SERVER.TOOL(...)`
            tools_of_server = tools_by_server.setdefault(server, {})
            tools_of_server[tool] = operation_method(operation, name, call)
        else:  # called as `harness.NAME(...)`
            methods[name] = operation_method(operation, name, call)

    # 2. Put the members of `harness` together.
    members = dict(methods)
    for server, tools_of_server in tools_by_server.items():
        members[server] = _namespace(f"harness.{server}", tools_of_server, {})
    members["answer"] = answer_method(answer)
    if benchmark_functions:
        members["tools"] = _namespace("harness.tools", benchmark_functions, {})

    # 3. A script that writes `harness.NAME` for a function is told where the function is.
    other_names = dict(OTHER_NAMES)
    for name in benchmark_functions:
        other_names[name] = f"harness.tools.{name}"
    return _namespace("harness", members, other_names)


def function_harness(
    operations: tuple[Operation, ...],
    call: Call,
    call_all: Callable[[Sequence[FunctionCall]], list[Outcome]],
    executables: Mapping[str, str],
    known: Sequence[Any] = (),
) -> Harness:
    """Return the `harness` that the benchmark's functions get; see `sandbox.functions.Harness`.

    It has the operations except the functions themselves, because no function calls
    another one. `call_all` makes several calls at once. `executables` maps the tools of
    the environment to their summaries. `known` has the reading calls that the trial has
    already made, so that a function need not make them again: tuples such as
    `("read", {"path": "/a.md"}, {"content": "…"})`.
    """
    members: dict[str, Any] = {}
    for operation in operations:
        if not operation.is_function:
            members[operation.name] = operation_method(operation, operation.name, call)
    harness = SimpleNamespace(
        **members, executables=executables, known=known, side_by_side=call_all
    )
    return cast("Harness", harness)


def _namespace(
    title: str, members: dict[str, Any], other_names: Mapping[str, str]
) -> Any:
    """Return an object with these members. For any other name, its error suggests a member.

    `harness.done` fails with `harness has no 'done'; did you mean harness.answer(scratchpad,
    verify)? It has ...`, because `other_names` says so: it has suggestions for names that
    scripts often write.
    """
    names = sorted(members)

    def message_for_missing(name: str) -> str:
        suggestion = other_names.get(name) or suggested_member(title, names, name)
        if suggestion:
            return f"{title} has no {name!r}; did you mean {suggestion}? It has {', '.join(names)}."
        return f"{title} has no {name!r}; it has {', '.join(names)}."

    return facade(f"{title}: {', '.join(names)}", members, message_for_missing)
