"""A model whose replies come from a file, for tests, demonstrations and bug reports.

Each reply says for which trials it is (see `ScriptFile`). A trial gets the replies that are for
it in the order of the file, one for each turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from controlplane.agent.model.model import Model
from controlplane.agent.model.model_errors import ModelError
from controlplane.agent.model.model_request import ModelRequest
from controlplane.agent.model.reply import Reply
from controlplane.agent.model.scripted.script_file import read_script_file
from controlplane.agent.model.scripted.scripted_conversation import ScriptedConversation
from controlplane.agent.model.scripted.scripted_reply import ScriptedReply


class ScriptedModel(Model):
    """A model whose replies are known in advance.

    The next reply depends only on the conversation so far. So the model keeps no state, and a
    trial can be resumed at any turn.
    """

    def __init__(
        self,
        replies: Sequence[ScriptedReply],
        name: str = "scripted",
        seed: int | None = None,
        scores: Mapping[str, float] | None = None,
    ) -> None:
        """`seed` and `scores` are those of the run from which the replies were recorded.

        The seed made the run's environments, and the scores are those of its tasks.
        """
        self.replies = tuple(replies)
        self.name = name
        self.seed = seed
        self.scores = scores or {}

    @classmethod
    def from_file(cls, path: Path, text: str | None = None) -> ScriptedModel:
        """Return the model whose replies are in a file.

        If `text` is given, it is used as the file's content, and the file is not read.
        Raises `ValueError` with a message of one line.
        """
        file = read_script_file(path, text)
        return cls(file.reply, f"scripted:{path.name}", file.seed, file.scores)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply for this turn.

        The first turn gets the first reply of the file that is for the trial, the second turn
        the second one, and so on. Raises `ModelError` if the file has no further one.
        """
        conversation = ScriptedConversation.of(request.messages)
        # They are the same in each turn: they depend on the start of the conversation alone.
        replies_of_trial: list[ScriptedReply] = []
        for reply in self.replies:
            if reply.is_for(request, conversation):
                replies_of_trial.append(reply)
        turn = conversation.turn  # counted from 0
        if turn >= len(replies_of_trial):
            msg = f"the replies file has no reply for turn {turn + 1} of this trial"
            raise ModelError(msg)
        return replies_of_trial[turn].reply(turn)
