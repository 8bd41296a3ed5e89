"""The client of one question, as the question's trial knows it."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass

from controlplane.agent.model import ModelError
from controlplane.mcp.serving.trial_calls import TrialCalls


@dataclass(frozen=True, slots=True)
class BegunTrial:
    """What is known of a question's trial when it has begun."""

    calls: TrialCalls
    """Makes the client's calls in the trial."""
    first_message: str
    """What a model would be told first: the question, and passages of the files about it."""


class AskingClient:
    """The client of one question. It is a `CallingProgram`.

    The trial calls `start` when it begins, and `fault` while it waits for a call.
    Both run in the thread of the question's run.
    """

    def __init__(self) -> None:
        self.has_left = threading.Event()
        """Set when the client leaves without an answer."""
        self.trial: Future[BegunTrial] = Future()
        """Done when the trial has begun."""

    def start(self, calls: TrialCalls, first_message: str) -> None:
        """Record that the trial has begun."""
        self.trial.set_result(BegunTrial(calls, first_message))

    def fault(self) -> Exception | None:
        """Return the error for the trial to raise if no more calls will come; None if some may."""
        if self.has_left.is_set():
            return ModelError("the client left without an accepted answer")
        return None

    def stop(self) -> None:
        """Do nothing: the client may go on with other questions."""
