"""A model that proposes changes of a candidate."""

from __future__ import annotations

from typing import Final

from controlplane.agent.loop import FOLDER, read_text
from controlplane.agent.model import Message, Model, ModelError
from controlplane.errors import Unreachable
from controlplane.gates.surrogates import encodable
from controlplane.improving.loop_lines import Proposed
from controlplane.improving.proposing.proposal_request import ProposalRequest
from controlplane.improving.proposing.trial_traces import trace_of

MAX_TRIALS_SHOWN: Final = 4
"""Trials that the model is shown: the worst ones of a batch."""
MAX_TRACES_CHARS: Final = 24_000
"""Characters of these trials together, about 6,000 tokens."""


class ModelProposer:
    """A model that is asked for the new text of one file at a time."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def propose(self, request: ProposalRequest) -> Proposed:
        """Ask the model for the new text of the first named file."""
        name = request.names[0]
        traces = "\n".join(
            trace_of(trial) for trial in request.trials[:MAX_TRIALS_SHOWN]
        )
        prompt = f"# {name}\n\n{request.texts[name]}\n\n# Trials\n\n{traces[:MAX_TRACES_CHARS]}"
        if request.complaint:
            prompt += f"\n\n# Your proposal before was refused\n\n{request.complaint}"
        messages: list[Message] = [
            {"role": "system", "content": read_text(FOLDER / "improve.md")},
            {"role": "user", "content": prompt},
        ]

        try:
            reply = self._model.complete(messages, "review")
        except ModelError as error:
            msg = f"the proposing model {self._model.name} cannot be asked: {error}"
            raise Unreachable(msg) from error
        tokens = reply.usage.prompt_tokens + reply.usage.completion_tokens
        texts = {}
        if reply.text.strip():
            texts[name] = text_in(reply.text)
        return Proposed(texts=texts, cost_usd=reply.cost_usd, tokens=tokens)


def text_in(reply: str) -> str:
    """Return the text in a reply without the fence around it, ended by one line feed."""
    text = encodable(reply).replace("\r\n", "\n").strip()
    lines = text.split("\n")
    is_fenced = lines[0].startswith("```") and lines[-1] == "```" and len(lines) > 1
    if is_fenced:
        text = "\n".join(lines[1:-1])
    return text.strip("\n") + "\n"
