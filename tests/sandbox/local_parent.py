"""Does in one process what the sandbox's parent process does for a script in a child process.

So a script that uses `harness` and `scratchpad` runs in plain Python, without a sandbox, and makes
its calls to the host of the tests.
"""

from typing import Any

from controlplane.sandbox import Verify, VerifyReply
from controlplane.sandbox.child.step.scratchpad import (
    CitationError,
    GateRejection,
    HarnessError,
    Scratchpad,
)
from controlplane.sandbox.interface.argument_binding import bound_arguments
from controlplane.sandbox.interface.exit_codes import check_exit
from tests.sandbox.declared_calls import TOOL_SCHEMA
from tests.sandbox.errors_of_scripts import errors_of_scripts
from tests.sandbox.recording_host import RecordingHost

NO_VERIFY = Verify(
    is_callable=False,
    takes_one_argument=False,
    ask=lambda is_blank: VerifyReply(says_yes=True),
)
"""Stands for the script's check of its answer. It is not callable, so that the host never asks it."""


class LocalParent:
    """Takes the place of the sandbox's parent process.

    A script's `harness.read("/a")` becomes `call("read", ["/a"], {})`. If the host refuses something,
    `cite` raises `CitationError`, and the other methods `GateRejection`, as a script in the sandbox
    would see it. After an accepted answer, every method fails.
    """

    def __init__(self) -> None:
        self.scratchpad = Scratchpad(self.cite, lambda: None)  # It is sent nowhere.
        self._host = RecordingHost()
        self._has_answered = False

    def call(self, name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        """Make a call. With `check=True`, an exit code of a tool other than 0 raises an error."""
        self._refuse_calls_after_the_answer()
        with errors_of_scripts(GateRejection):
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
        self._refuse_calls_after_the_answer()
        with errors_of_scripts(CitationError):
            return self._host.cite(path, reason)

    def answer(self, scratchpad: Any = None, verify: Any = None) -> None:
        """Submit the scratchpad of this script, whatever was passed, without asking `verify`."""
        self._refuse_calls_after_the_answer()
        with errors_of_scripts(GateRejection):
            self._host.answer(dict(self.scratchpad), NO_VERIFY)
            self._has_answered = True

    def _refuse_calls_after_the_answer(self) -> None:
        if self._has_answered:
            message = "the answer was accepted; the trial is over"
            raise HarnessError("failed_precondition", message)
