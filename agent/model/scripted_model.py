"""A model whose replies are read from a file: for tests, demonstrations and bug reports.

The file is TOML, a list of `[[reply]]` tables. A reply has `code` (with optional `state`, `plan`, `done`), or `text`,
which is sent unchanged, or `calls` of tools. `when` and `system`, regular expressions of RE2, limit a reply to trials
in whose first message or system prompt they are found, `task` to the trials of one task, and `role` to one kind of
request; a trial gets its matching replies in the order of the file, one per turn. A recording of a run also holds
the `seed` of its worlds and the `scores` of its tasks.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import re2
from pydantic import AfterValidator, Field, ValidationError

from agent.model.model_protocol import TASK, Frozen, Model, ModelError, ModelRequest, Reply, ToolCall


def _readable(pattern: str) -> str:
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError):
        msg = f"is not a regular expression of RE2 ({pattern!r})"
        raise ValueError(msg) from None
    return pattern


Pattern = Annotated[str, AfterValidator(_readable)]
"""A regular expression of RE2."""


class ScriptedCall(Frozen):
    """One tool call of a reply."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ScriptedReply(Frozen):
    """One reply of the file."""

    when: Pattern = ""
    system: Pattern = ""
    """Limits it to trials in whose system prompt it is found."""
    task: str = ""
    """The id of its task; empty for every task."""
    state: str = ""
    plan: tuple[str, ...] = ()
    done: bool = False
    code: str = ""
    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    role: str = "solve"

    def reply(self, turn: int) -> Reply:
        """Return the reply in a turn, counted from 0."""
        calls = tuple(
            ToolCall(name=call.name, arguments=json.dumps(call.arguments), id=f"scripted_{turn}_{place}")
            for place, call in enumerate(self.calls)
        )
        action = {"state": self.state, "plan": list(self.plan), "done": self.done, "code": self.code}
        return Reply(text=self.text if calls or self.text else json.dumps(action), tool_calls=calls)


class ScriptFile(Frozen):
    """The whole file."""

    reply: tuple[ScriptedReply, ...]
    seed: int | None = None
    """The seed of the worlds that the replies were given in."""
    scores: Mapping[str, float] = Field(default_factory=dict)
    """The score of each task in the recorded run."""


class ScriptedModel(Model):
    """Replies from a file, chosen by the conversation alone, so that a trial can be resumed at any turn."""

    def __init__(
        self, replies: Sequence[ScriptedReply], name: str = "scripted", recording: ScriptFile | None = None
    ) -> None:
        self.replies = tuple(replies)
        self.name = name
        self.seed = recording.seed if recording else None
        self.scores: Mapping[str, float] = recording.scores if recording else {}

    @classmethod
    def from_file(cls, path: Path, text: str | None = None) -> ScriptedModel:
        """Read `path`, or its `text` if that is given. Raises `ValueError` with one line that says what is wrong."""
        try:
            if text is None and path.exists() and not path.is_file():
                msg = f"the replies file {path} is not a file; a TOML file with [[reply]] tables is needed"
                raise ValueError(msg)
            document = tomllib.loads(path.read_text(encoding="utf-8-sig") if text is None else text)
            file = ScriptFile.model_validate(document)
        except OSError as error:
            msg = f"cannot read the replies file {path}: {error.strerror}"
            raise ValueError(msg) from error
        except ValidationError as error:
            first = error.errors()[0]
            msg = f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise ValueError(msg) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            msg = f"{path} is not a replies file (TOML with [[reply]] tables): {error}"
            raise ValueError(msg) from error
        return cls(file.reply, f"scripted:{path.name}", file)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply for this turn. Raises `ModelError` when the file has no more."""
        messages = request.messages
        opened = next((at for at, message in enumerate(messages) if message["role"] == "user"), 0)
        asked = messages[opened]["content"].encode(errors="replace")
        system = "\n".join(message["content"] for message in messages[:opened]).encode(errors="replace")
        fitting = [
            reply
            for reply in self.replies
            if reply.role == request.role
            and reply.task in ("", TASK.get())
            and all(re2.search(pattern, text) for pattern, text in ((reply.when, asked), (reply.system, system)))
        ]
        turn = sum(message["role"] == "assistant" for message in messages[opened:])
        if turn >= len(fitting):
            msg = f"the replies file has no reply for turn {turn + 1} of this trial"
            raise ModelError(msg)
        return fitting[turn].reply(turn)
