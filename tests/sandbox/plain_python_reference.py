"""Runs corpus blocks in plain CPython, as a process of its own.

Prints JSON: for each title, the printed text
and the title of the error that ended the block.
"""

import contextlib
import decimal
import io
import json
import sys
import types
from collections.abc import Iterator
from typing import Any

from controlplane.sandbox import Refusal, Verify, VerifyReply
from controlplane.sandbox.child.language.script_errors import title_of
from controlplane.sandbox.child.step.console import Console
from controlplane.sandbox.child.step.harness import build_harness
from controlplane.sandbox.child.step.scratchpad import Scratchpad
from controlplane.sandbox.child.step.script_exceptions import (
    EXCEPTIONS,
    CitationError,
    GateRejection,
    HarnessError,
)
from controlplane.sandbox.interface import CallError
from controlplane.sandbox.interface.argument_binding import (
    UnboundArguments,
    bound_arguments,
)
from controlplane.sandbox.interface.exit_codes import check_exit
from tests.sandbox.script_world import TOOL_SCHEMA, RecordingHost, corpus_scripts


class LocalParent:
    """Does in this process what the parent does for a script: calls, citations, the answer."""

    def __init__(self) -> None:
        self.scratchpad = Scratchpad(self.cite, lambda: None)
        self._desk = RecordingHost()
        self._has_answered = False

    def call(self, name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        with self._errors_of_scripts():
            operation = TOOL_SCHEMA.operation(name)
            assert operation is not None
            arguments = bound_arguments(operation, positional, named, with_check=True)
            is_checked = arguments.pop("check", False)
            result = self._desk.call(name, arguments, in_verify=False)
            if is_checked:
                check_exit(operation, arguments, result)
            return result

    def cite(self, path: str, reason: str, quote: str) -> str:
        with self._errors_of_scripts():
            try:
                return self._desk.cite(path, reason)
            except Refusal as refusal:
                raise CitationError(str(refusal)) from None

    def answer(self, scratchpad: Any = None, verify: Any = None) -> None:
        with self._errors_of_scripts():
            unasked = Verify(False, False, lambda is_blank: VerifyReply(True))
            try:
                self._desk.answer(dict(self.scratchpad), unasked)
            except Refusal as refusal:
                raise GateRejection(str(refusal)) from None
            self._has_answered = True

    @contextlib.contextmanager
    def _errors_of_scripts(self) -> Iterator[None]:
        """Raise an error of a call as the exception that a script sees."""
        if self._has_answered:
            message = "the answer was accepted; the trial is over"
            raise HarnessError("failed_precondition", message)
        try:
            yield
        except UnboundArguments as error:
            raise TypeError(str(error)) from None
        except CallError as error:
            if error.code == "not_found":
                raise FileNotFoundError(error.message) from None
            raise HarnessError(error.code, error.message) from None


def run(source: str) -> list[str]:
    """Return the printed text of a script and the title of the error that ended it."""
    output = io.StringIO()
    parent = LocalParent()
    module = types.ModuleType("__main__")
    vars(module).update(
        harness=build_harness(TOOL_SCHEMA.operations, parent.call, parent.answer),
        scratchpad=parent.scratchpad,
        console=Console(output.write),
        **EXCEPTIONS,
    )
    main_before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    error = ""
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(source, "<script>", "exec", dont_inherit=True), vars(module))
    except BaseException as raised:  # noqa: BLE001 - the border to the script
        is_ordinary_exit = isinstance(raised, SystemExit) and not raised.code
        if not is_ordinary_exit:
            error = title_of(raised, lambda name: "")
    finally:
        sys.modules["__main__"] = main_before
        sys.setrecursionlimit(1000)
        decimal.setcontext(decimal.Context())
    return [output.getvalue(), error]


if __name__ == "__main__":
    print(
        json.dumps(
            {title: run(source) for title, source in corpus_scripts(*sys.argv[1:])}
        )
    )
