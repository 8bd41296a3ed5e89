"""The exit of a trial: answers leave through it, once, and only if the gates accept them.

    environment = willing_environment()
    exit_of(environment, events=[]).submit(Submission(answer="42", outcome="OUTCOME_OK"))
    environment.answers == [("42", "OUTCOME_OK")]

An accepted answer is sent to the environment, which may refuse it (`RefusingEnvironment`).
"""

from collections.abc import Callable, Mapping

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import Environment, Tape, new_recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.submission import GateSettings
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import CallError, Operation, Plain
from tests.support.one_tool_environment import OneToolEnvironment
from tests.support.phonebook import LOOKUP, look_up

ACCEPTABLE = Submission(answer="42", outcome="OUTCOME_OK", refs=())
"""A submission that the gates accept."""


def willing_environment() -> OneToolEnvironment:
    """Return an environment that takes every answer, and keeps it in `answers`.

    Its one tool, a phone book, is not used here.
    """
    return OneToolEnvironment(LOOKUP, look_up)


def exit_of(
    environment: Environment, events: list[TrialEvent], tape: Tape | None = None
) -> GatedExit:
    """Return the exit of a trial in this environment, which adds its events to the list.

    A replay takes the results of all calls from the `tape`.
    """
    recorder = new_recorder("t", environment, events.append, tape=tape or Tape())
    instruction = "What is the number? Answer with `%d` only."
    return GatedExit(recorder, instruction, GateSettings(), now="")


class RefusingEnvironment(OneToolEnvironment):
    """Refuses every answer: `answer` fails with an error of this code, and the message "no"."""

    def __init__(
        self,
        code: str,
        operation: Operation = LOOKUP,
        result_of: Callable[[Mapping[str, Plain]], dict[str, Plain]] = look_up,
    ) -> None:
        super().__init__(operation, result_of)
        self.code = code

    def answer(self, message: str, outcome: str, refs: object) -> None:
        raise CallError(self.code, "no")
