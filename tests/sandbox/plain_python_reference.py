"""Runs corpus blocks in plain CPython, as a process of its own; prints JSON, title to [output, error title]."""

import contextlib
import decimal
import io
import json
import sys
import types
from typing import Any

from controlplane.sandbox.child.harness import build_harness
from controlplane.sandbox.child.scratchpad import Scratchpad
from controlplane.sandbox.child.script_errors import title_of
from controlplane.sandbox.child.script_exceptions import EXCEPTIONS
from controlplane.sandbox.child.step_output import Console
from tests.sandbox.script_world import TOOL_SCHEMA, Desk, blocks, local_ask


def run(source: str) -> list[str]:
    """Return what a script prints and the title of what ends it."""
    out = io.StringIO()
    ask = local_ask(Desk())
    scratchpad = Scratchpad(ask, lambda: None)
    console = Console(out.write)

    def answer(given: Any = None, verify: Any = None) -> None:
        ask("answer", [dict(scratchpad), verify])

    module = types.ModuleType("__main__")
    vars(module).update(
        harness=build_harness(TOOL_SCHEMA.operations, ask, answer),
        scratchpad=scratchpad,
        console=console,
        **EXCEPTIONS,
    )
    before, sys.modules["__main__"] = sys.modules["__main__"], module
    error = ""
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(source, "<script>", "exec", dont_inherit=True), vars(module))
    except BaseException as raised:  # noqa: BLE001 - the border to the script
        has_left = isinstance(raised, SystemExit) and not raised.code
        error = "" if has_left else title_of(raised, lambda name: "")
    finally:
        sys.modules["__main__"] = before
        sys.setrecursionlimit(1000)
        decimal.setcontext(decimal.Context())
    return [out.getvalue(), error]


if __name__ == "__main__":
    print(json.dumps({title: run(source) for title, source in blocks(*sys.argv[1:])}))
