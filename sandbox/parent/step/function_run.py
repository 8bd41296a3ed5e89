"""Runs a function of the benchmark in the child of a trial."""

from __future__ import annotations

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.host import Ending
from controlplane.sandbox.interface.messages.child_results import (
    FunctionFault,
    FunctionFields,
    StepReport,
)
from controlplane.sandbox.interface.messages.parent_messages import RunFunction
from controlplane.sandbox.interface.plain_data import Plain
from controlplane.sandbox.parent.step.exchange import Exchange
from controlplane.sandbox.parent.step.lost_child import (
    CHILD_FAILURES,
    LostChild,
    early_end,
    unexpected_message,
)
from controlplane.sandbox.parent.trial_process import TrialProcess


class _FunctionFailed(CallError):
    """A function of the benchmark reported an error. Its process can still be used."""


class FunctionRun:
    """Runs one function of the benchmark in the child of a trial, an untrusted process.

    A function computes a result by calls of its own, such as the sum of a column over many
    files. It runs alone, or while a script that called it waits for the result.
    """

    def __init__(
        self, process: TrialProcess, exchange: Exchange, lost_child: LostChild
    ) -> None:
        self._process = process
        self._exchange = exchange
        self._lost_child = lost_child

    def compute(self, task: RunFunction, *, is_alone: bool) -> dict[str, Plain]:
        """Run a function in the child, and return the fields of its result.

        If `is_alone`, no script is running. Otherwise the running script called the function
        and waits for its result. Raises `CallError` if the function fails, or if its child is
        lost: the child is then ended.
        """
        if self._process.overrun:  # the trial has used all its CPU time
            raise CallError(RESOURCE_EXHAUSTED, self._process.overrun)

        conversation = self._exchange.conversation
        try:
            with self._exchange.callers.during_function():
                self._exchange.counts.begin_function()
                if is_alone:
                    conversation.begin(task)
                else:
                    conversation.interpose(task)
                return self._result()
        except CHILD_FAILURES as error:
            end = self._lost_child.end_child(error)
            code = RESOURCE_EXHAUSTED if end.ending is Ending.LIMIT else INTERNAL
            raise CallError(code, end.error) from None
        except _FunctionFailed:
            # The function has ended properly, so its process goes on. (The next case would end it.)
            raise
        except BaseException:
            # The host failed during a call. The child waits for an answer that never comes.
            self._process.end()
            raise

    def _result(self) -> dict[str, Plain]:
        """Answer the calls of a function until it returns. Raises `_FunctionFailed` if it fails."""
        match self._exchange.next_result():
            case FunctionFields(fields):
                return fields
            case FunctionFault(code, text):
                raise _FunctionFailed(code, text[: bounds.MOST_REFUSAL_CHARS])
            case StepReport() as report:
                # The step ended before its function did.
                raise early_end(report)
            case _:
                raise unexpected_message()
