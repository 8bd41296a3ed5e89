"""The exit of a trial: answers leave through it, once, and only if the gates accept them.

    environment = willing_environment()
    gated_exit = exit_of(environment, events=[])
    gated_exit.submit(Submission(answer="42", outcome="OUTCOME_OK"))
    environment.answers == [("42", "OUTCOME_OK")]

An accepted answer is sent by the exit's `outlet` to the environment. The environment may refuse the
answer (`RefusingEnvironment`).
"""

from collections.abc import Callable, Mapping

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import Environment, Tape, new_recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.judging import GateSettings
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import CallError, Operation, Plain
from tests.support.one_tool_environment import OneToolEnvironment
from tests.support.phonebook import LOOKUP, look_up

ACCEPTABLE = Submission(answer="42", outcome="OUTCOME_OK", refs=())
"""A submission that the gates accept: it has the form that the request wants, and a known outcome."""


def willing_environment() -> OneToolEnvironment:
    """Return an environment that takes every answer, and keeps it in `answers`.

    Its one tool, a phone book, is not used here.
    """
    return OneToolEnvironment(LOOKUP, look_up)


def exit_of(
    environment: Environment, events: list[TrialEvent], tape: Tape | None = None
) -> GatedExit:
    """Return the exit of a trial in this environment, in its first step.

    The events of the trial are added to `events`. If it is resumed or replayed, its `tape` has the
    recorded events of the earlier attempt.
    """
    nothing_recorded = Tape()
    recorder = new_recorder(
        "t", environment, events.append, tape=tape or nothing_recorded
    )
    recorder.step_log.begin(1)
    instruction = "What is the number? Answer with `%d` only."  # a number, and no more
    return GatedExit(recorder, instruction, settings=GateSettings(), now="")


class RefusingEnvironment(OneToolEnvironment):
    """Refuses every answer, with an error of this code and the message "refused"."""

    def __init__(
        self,
        code: str,
        operation: Operation = LOOKUP,
        result_of: Callable[[Mapping[str, Plain]], dict[str, Plain]] = look_up,
    ) -> None:
        super().__init__(operation, result_of)
        self.code = code

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise CallError(self.code, "refused")
