"""A script's submission: `harness.answer(scratchpad, verify)`, with its own check `verify`.

The parent asks for two calls of `verify`: one with the scratchpad as it is, and one
without the submitted values. A check that says yes to both checks nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from controlplane.sandbox.child.step.activity import Activity, CurrentActivity
from controlplane.sandbox.child.step.harness.script_calls import ScriptCalls
from controlplane.sandbox.child.step.scratchpad.scratchpad import Scratchpad
from controlplane.sandbox.interface.host import VerifyReply
from controlplane.sandbox.interface.messages.child_requests import AnswerRequest
from controlplane.sandbox.interface.plain_data import Plain
from controlplane.sandbox.interface.records import Record


class Submission:
    """Submits the answer in a scratchpad, and keeps its `verify` for the parent's question."""

    def __init__(
        self, scratchpad: Scratchpad, calls: ScriptCalls, activity: CurrentActivity
    ) -> None:
        self._scratchpad = scratchpad
        self._calls = calls
        self._activity = activity
        self._verify: Any = None
        """The `verify` of the submitted answer."""

    def answer(self, scratchpad: Any = None, verify: Any = None) -> None:
        """Submit the scratchpad's answer with the script's own check. Raises `GateRejection`."""
        # A script may pass a dict of its own. Its items are then added to the scratchpad.
        if scratchpad is not None and scratchpad is not self._scratchpad:
            if not isinstance(scratchpad, dict):
                kind = type(scratchpad).__name__
                msg = f"harness.answer(scratchpad, verify) takes the scratchpad, not {kind}"
                raise TypeError(msg)
            self._scratchpad.update(scratchpad)

        # `verify` may submit an answer itself. The parent refuses that, so the `verify` of the
        # first answer is kept.
        if not self._activity.is_verify:
            self._verify = verify

        request = AnswerRequest(
            verify_is_callable=callable(verify),
            verify_takes_one_argument=takes_one_argument(verify),
        )
        self._calls.submit(request)

    def verify(
        self, values: dict[str, Any], describe: Callable[[BaseException], str]
    ) -> VerifyReply:
        """Call `verify` with a copy of the scratchpad, and return its reply.

        An exception counts as no. `describe` returns its text.
        """
        with self._activity.during(Activity.VERIFY):
            try:
                return VerifyReply(is_yes(self._verify(Record(values))), "")
            except BaseException as error:  # noqa: BLE001 - the border to the script
                return VerifyReply(False, describe(error))

    def forget(self) -> None:
        """Forget `verify` at the end of the step."""
        self._verify = None


def without_submission(scratchpad: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a scratchpad in which the submitted values are blank."""
    blank_values: dict[str, Plain] = {"answer": "", "outcome": "", "refs_why": {}}
    copy = dict(scratchpad)
    for name, blank_value in blank_values.items():
        if name in copy:
            copy[name] = blank_value
    return copy


def is_yes(reply: Any) -> bool:
    """Return True if a reply of `verify` is a yes: `True`, or a mapping whose `ok` is `True`."""
    if isinstance(reply, dict):
        return reply.get("ok") is True
    return reply is True


def takes_one_argument(function: Any) -> bool:
    """Return True if `function` can be called with one positional argument; True if unknown."""
    try:
        signature(function).bind(None)
    except TypeError:
        return False
    except BaseException:  # noqa: BLE001 - the object may have a `__signature__` of the script
        return True
    return True
