"""Does in one process what the sandbox's parent process does for a script in a child process.

So a script that uses `harness` and `scratchpad` runs in plain Python, without a sandbox, and makes
its calls to the host of the tests.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from controlplane.sandbox import Refusal, Verify, VerifyReply
from controlplane.sandbox.child.step.scratchpad.scratchpad import Scratchpad
from controlplane.sandbox.child.step.script_exceptions import (
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
from tests.sandbox.declared_calls import TOOL_SCHEMA
from tests.sandbox.recording_host import RecordingHost

NO_VERIFY = Verify(
    is_callable=False,
    takes_one_argument=False,
    ask=lambda is_blank: VerifyReply(says_yes=True),
)
"""Stands for `verify`, the function by which a script checks its answer.

The host of the tests accepts an answer without asking `verify` if it is not callable. So `ask` is
never called here.
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
