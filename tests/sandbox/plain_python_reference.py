"""Runs the ordinary scripts of the corpus in plain CPython, without a sandbox.

`python -m tests.sandbox.plain_python_reference ordinary/idioms.txt` prints JSON: for each title
the printed text and the error that ended the script, such as
`{"idioms: format errors": ["KeyError missing\\n", ""]}`. The sandbox must give the same.
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
from controlplane.sandbox.child.step.harness.harness import build_harness
from controlplane.sandbox.child.step.scratchpad.scratchpad import Scratchpad
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
from tests.sandbox.script_corpus import corpus_scripts
from tests.sandbox.script_world import TOOL_SCHEMA, RecordingHost

NO_VERIFY = Verify(
    is_callable=False,
    takes_one_argument=False,
    ask=lambda is_blank: VerifyReply(says_yes=True),
)
"""Stands for `verify`, the function by which a script checks its answer.

It is not callable, so that the host of the tests accepts an answer without asking for a check.
"""


def send_nothing() -> None:
    """Send no scratchpad to a parent process: there is none."""


class LocalParent:
    """Does in this process what the sandbox's parent process does for a script.

    A script's `harness.read("/a")` becomes `call("read", ["/a"], {})`, `scratchpad.cite(...)`
    becomes `cite`, and `harness.answer(...)` becomes `answer`. All three raise what a script in
    the sandbox would see, and fail after an accepted answer.
    """

    def __init__(self) -> None:
        self.scratchpad = Scratchpad(self.cite, send_nothing)
        self._host = RecordingHost()
        self._has_answered = False

    def call(self, name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        """Make a call of an operation.

        Calls of tools have a further argument: with `check=True` a failed tool is an error.
        """
        with self._errors_of_scripts():
            operation = TOOL_SCHEMA.operation(name)
            assert operation is not None
            arguments = bound_arguments(operation, positional, named, with_check=True)
            is_checked = arguments.pop("check", False)
            result = self._host.call(name, arguments, in_verify=False)
            if is_checked:
                check_exit(operation, arguments, result)
            return result

    def cite(self, path: str, reason: str, quote: str) -> str:
        """Return the cited path. The host of the tests does not look at quotes."""
        with self._errors_of_scripts():
            try:
                return self._host.cite(path, reason)
            except Refusal as refusal:
                raise CitationError(str(refusal)) from None

    def answer(self, scratchpad: Any = None, verify: Any = None) -> None:
        """Submit the scratchpad of this script, whatever was passed."""
        with self._errors_of_scripts():
            try:
                self._host.answer(dict(self.scratchpad), NO_VERIFY)
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


def no_remedy(undefined_name: str) -> str:
    """Return the empty remedy: plain Python does not say what to write instead of a name."""
    return ""


def _script_module(parent: LocalParent, output: io.StringIO) -> types.ModuleType:
    """Return an empty `__main__` with the names that every script has."""
    module = types.ModuleType("__main__")
    vars(module).update(
        harness=build_harness(TOOL_SCHEMA.operations, parent.call, parent.answer),
        scratchpad=parent.scratchpad,
        console=Console(output.write),
        **EXCEPTIONS,
    )
    return module


def run(source: str) -> list[str]:
    """Run a script, and return its printed text and the error that ended it.

    `run("print(1)")` -> `["1\\n", ""]`, `run("{}['b']")` -> `["", "KeyError: 'b'"]`
    """
    output = io.StringIO()
    module = _script_module(LocalParent(), output)
    main_before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    error = ""
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(source, "<script>", "exec", dont_inherit=True), vars(module))
    except BaseException as raised:  # noqa: BLE001 - the border to the script
        is_ordinary_exit = isinstance(raised, SystemExit) and not raised.code
        if not is_ordinary_exit:
            error = title_of(raised, no_remedy)
    finally:
        # Undo what scripts change most often for all that run after them.
        sys.modules["__main__"] = main_before
        sys.setrecursionlimit(1000)
        decimal.setcontext(decimal.Context())
    return [output.getvalue(), error]


if __name__ == "__main__":
    outcomes = {}
    for title, source in corpus_scripts(*sys.argv[1:]):
        outcomes[title] = run(source)
    print(json.dumps(outcomes))
