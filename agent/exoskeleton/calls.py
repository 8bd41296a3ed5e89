"""The calls of a reply: how they are made, and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from controlplane.agent.events import Judged
from controlplane.agent.exoskeleton.answer import Assembly
from controlplane.agent.exoskeleton.bindings import Completion
from controlplane.agent.exoskeleton.helper_model import arguments_of
from controlplane.agent.exoskeleton.shown import CallResults
from controlplane.agent.exoskeleton.tools import COMPLETION, Permission, runs_change
from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.loop.trial_session import TrialSession
from controlplane.agent.model import ModelTool, ToolCall
from controlplane.sandbox.interface import CallError, bound_arguments

# The outcome of one call of the model: a result, or the reason why it was refused.

_MAX_NAME_CHARS: Final = 80
"""Max characters of a tool's name in a step's error. Models may invent long names."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What became of a call."""

    text: str
    """The text for the model: the result, or the reason."""
    refusal: str = ""
    """The part of the step's error: `reed: error: there is no tool 'reed'`; empty if the
    call was made."""


def refused(call: ToolCall, reason: str) -> CallOutcome:
    """Return the outcome of a call that was not made."""
    return CallOutcome(reason, f"{call.name[:_MAX_NAME_CHARS]}: {reason}")


def _objection_text(judged: Judged) -> str:
    """Return the objection of the gates, with the answer that they have judged."""
    references = "\n".join(judged.refs) or "(nothing)"
    submitted = f"What was submitted: {judged.answer}\nIts references:\n{references}"
    return f"{judged.message}\n\n{submitted}"


def _faults_text(error: ValidationError) -> str:
    """Return the faults of a completion in one line: `outcome: Field required; …`"""
    texts = []
    for fault in error.errors():
        place = ".".join(str(part) for part in fault["loc"])
        texts.append(f"{place}: {fault['msg']}")
    return "; ".join(texts)


# Makes the calls of a model's reply, one after the other, as far as the request permits changes.
#
# | call | outcome |
# |---|---|
# | `read(path="/docs/a.md")`, an operation of the environment | `CallOutcome("A key is lent for a day.")` |
# | `read(path="/x.md")`, without such a file | `CallOutcome("error: not_found: ...")` |
# | `reed(path="/docs/a.md")`, or `read()` | refused: not a tool, or not its arguments |
# | `run(path="/bin/lend")`, if it is not permitted | refused: the request asks for no change |
# | `report_completion(message="12 loans", ...)`, the *completion* | the answer is submitted |
# | any call after that | refused: the completion ends the step |

NO_CHANGES: Final = "not run: the request asks for no such change, so nothing that changes something is run for it"
"""The result of a call that the model makes although the request does not permit it."""
_MAX_CALLS: Final = 32
"""Max calls of one reply."""


@dataclass(frozen=True, slots=True)
class ToolRunner:
    """Makes the calls of one trial's model."""

    session: TrialSession
    tools: tuple[ModelTool, ...]
    """The tools that the model may call. Operations that change files are among them only if
    this is permitted."""
    permission: Permission
    """The changes that the trial may make. Here, it decides which executables may be run."""
    results: CallResults
    """Keeps the results, for the benchmark's functions that check the answer, and turns them into
    texts for the model."""
    assembly: Assembly
    """Assembles the answer from a completion."""

    def run(self, calls: Sequence[ToolCall]) -> list[CallOutcome]:
        """Make the calls of one reply in order, and return an outcome for each."""
        outcomes: list[CallOutcome] = []
        is_completed = False
        for number, call in enumerate(calls):
            if is_completed:
                reason = "not run: it stands behind a completion, which ends the step"
                outcome = refused(call, reason)
            elif number >= _MAX_CALLS:
                reason = f"not run: a reply makes at most {_MAX_CALLS} calls"
                outcome = refused(call, reason)
            elif call.name == COMPLETION:
                is_completed = True
                outcome = self._complete(call)
            else:
                outcome = self._make(call)
            outcomes.append(outcome)
        return outcomes

    def _make(self, call: ToolCall) -> CallOutcome:
        """Make a call, unless it is refused. Its outcome has the text for the model."""
        schema = self.session.tool_schema
        names = sorted(tool.name for tool in self.tools)
        operation = schema.operation(call.name)
        if call.name not in names or operation is None:
            reason = (
                f"error: there is no tool {call.name!r}; there are {', '.join(names)}"
            )
            return refused(call, reason)
        try:
            # Raises `TypeError` if an argument is missing, unknown, or of the wrong type.
            named = arguments_of(call)
            arguments = bound_arguments(operation, positional=(), named=named)
            if not self.permission.tools and runs_change(schema, operation, arguments):
                return refused(call, NO_CHANGES)
            result = self.session.make_call(operation.name, arguments)
        except TypeError as error:
            return refused(call, f"error: {error}")
        except CallError as error:
            # The call was made, so its error is a result.
            return CallOutcome(f"error: {error}")
        return CallOutcome(self.results.add(operation, arguments, result))

    def _complete(self, call: ToolCall) -> CallOutcome:
        """Submit the answer of a completion. The outcome has the reply of the gates.

        The gates are rules for answers. They accept the answer, or object to something.
        """
        try:
            arguments = arguments_of(call)  # Raises `TypeError` if they are not JSON.
            completion = Completion.model_validate(arguments)
            outcome = self.session.tool_schema.outcomes.full_name(completion.outcome)
            completion = completion.model_copy(update={"outcome": outcome})
            judged = self.assembly.submit(completion)
        except ValidationError as error:
            reason = f"error: the completion does not fit: {_faults_text(error)}"
            return refused(call, reason)
        except (TypeError, NotJudged) as error:
            return refused(call, f"error: {error}")
        except CallError as error:
            return CallOutcome(
                "error: the gates accepted the answer, "
                f"but the environment did not take it ({error})"
            )
        return CallOutcome("accepted" if judged.accepted else _objection_text(judged))
