"""The functions by which a benchmark changes an answer before it is submitted.

The model hands in `Completion(message="There are 12 loans.", ...)`, its answer. A benchmark may
have two functions, which are called one after the other:

    revise(completion, texts, check_draft)                   -> the completion, with its limits
    put_in_form("OUTCOME_OK", "There are 12 loans.", ...)    -> "12"

`SolverBindings` has both. They may ask a small model, by a function that they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from controlplane.agent.exoskeleton.completion import Completion


class AskDraftCheck(Protocol):
    """Asks a small model about the draft of an answer, for example if it is complete.

    It is the model that the user has chosen for the role `check_draft`.
    """

    def __call__(self, schema: Mapping[str, object], text: str, /) -> Mapping[str, Any]:
        """Return the model's reply, a JSON object; empty if the model fails.

        `schema` is the JSON schema of the reply, and `text` the draft.
        """


class ReviseCompletion(Protocol):
    """Changes a completion (the model's answer) to follow the benchmark's conventions."""

    def __call__(
        self,
        completion: Completion,
        texts: Mapping[str, str],
        check_draft: AskDraftCheck,
        /,
    ) -> Completion:
        """Return the changed completion.

        `texts` are those of the files that were read, by path. `check_draft` asks a model about
        the draft of the answer.
        """


class PutInForm(Protocol):
    """Brings an answer's message into the form that the rules and the request ask for."""

    def __call__(
        self,
        outcome: str,
        message: str,
        rules: str,
        propose_message: Callable[[], str],
        request: str,
        /,
    ) -> str:
        """Return the message in its form.

        `rules` are the workspace's rules, and `request` is what the user asks for. If they do
        not make the form clear, `propose_message()` asks a small model, and returns the message
        as it would write it; empty if the model fails.
        """
