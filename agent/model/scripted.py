"""A model whose replies come from a file, and the form of this file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import re2
from pydantic import AfterValidator, Field, ValidationError

from controlplane.agent.model.model import Model, ModelError
from controlplane.agent.model.reply import Frozen, ModelRequest, Reply, ToolCall
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import Unreadable, parse_toml

# Regular expressions in files that users write, such as `when = "overdue|late"`.
#
# They are those of RE2, whose search takes a time that grows linearly with the text. A field of
# the type `_Pattern` is checked when the file is read: `when = "("` raises `ValidationError`.


def _checked_pattern(pattern: str) -> str:
    """Return `pattern` unchanged. Raises `ValueError` if it is not a regular expression of RE2."""
    options = re2.Options()
    options.log_errors = False  # By default, RE2 prints the fault.
    try:
        re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError):
        msg = f"is not a regular expression of RE2 ({pattern!r})"
        raise ValueError(msg) from None
    return pattern


_Pattern = Annotated[str, AfterValidator(_checked_pattern)]
"""A regular expression of RE2."""


def _is_in(pattern: str, text: str) -> bool:
    """Return True if a pattern matches somewhere in a text.

    The text may have characters that UTF-8 cannot encode. RE2 would refuse them, so it gets
    the text as bytes, with `?` for each of these characters.
    """
    text_as_bytes = text.encode(errors="replace")
    return re2.search(pattern, text_as_bytes) is not None


# A reply in the file of a scripted model, which answers without an endpoint.
#
#     [[reply]]
#     when = "overdue"
#     code = "print(1)"
#
# The reply is an action (`code`, and maybe `state`, `plan` and `done`), or a `text`, which is sent
# unchanged, or `calls` of tools. `when` is a regular expression of RE2: this reply is for trials whose
# first message has the word `overdue`.


class _ScriptedCall(Frozen):
    """One tool call of a reply in the file: `{name = "read", arguments = {path = "/a.md"}}`."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ScriptedReply(Frozen):
    """One reply in the file.

    If it has `calls` or a `text`, these are the reply. Otherwise the reply is an action: a JSON
    object with `state`, `plan`, `done` and `code`, as a model writes it.
    """

    # The requests for which it is: those that fit all of these fields
    when: _Pattern = ""
    """A pattern of RE2 that must match somewhere in the trial's first message."""
    system: _Pattern = ""
    """One that must match somewhere in the trial's system prompt."""
    task: str = ""
    """The id of the task, such as `calendar-date.1`; empty for every task."""
    role: str = "solve"
    """What the reply is for, as in `[roles]`: `solve` for the next step of a solver, `grade` for a
    grader."""

    # An action. It is sent as `{"state": "...", "plan": [...], "done": false, "code": "..."}`.
    state: str = ""
    """What the model is at."""
    plan: tuple[str, ...] = ()
    """What comes next."""
    done: bool = False
    """True if the model says that its task is done; advisory."""
    code: str = ""
    """The script to run. A TOML literal (three apostrophes) keeps backslashes and quotes as they are."""

    # What is sent in place of an action.
    text: str = ""
    """A whole reply as it stands, which is read as an endpoint's reply would be."""
    calls: tuple[_ScriptedCall, ...] = ()
    """Tool calls, for a solver that calls tools: `name` and `arguments` of each."""

    def is_for(
        self, request: ModelRequest, system_prompt: str, first_message: str
    ) -> bool:
        """Return True if the reply is for a request, in one of the turns of its conversation."""
        if self.role != request.role or self.task not in ("", request.task_id):
            return False
        return _is_in(self.when, first_message) and _is_in(self.system, system_prompt)

    def reply(self, turn: int) -> Reply:
        """Return the reply as a model gives it in a turn, counted from 0.

        The turn is used for the ids of tool calls, which must differ within a conversation.
        """
        calls: list[ToolCall] = []
        for number, call in enumerate(self.calls):
            call_id = f"scripted_{turn}_{number}"
            arguments = json.dumps(call.arguments)
            calls.append(ToolCall(name=call.name, arguments=arguments, id=call_id))
        if calls or self.text:
            return Reply(text=self.text, tool_calls=tuple(calls))
        action = {
            "state": self.state,
            "plan": list(self.plan),
            "done": self.done,
            "code": self.code,
        }
        return Reply(text=json.dumps(action))


# The file of a scripted model, which replies from a file in place of an endpoint.
#
# The file is TOML, with a table for each reply (see `ScriptedReply`). This reply is the script
# `print(1)`, for requests whose first message has the word `overdue`:
#
#     [[reply]]
#     when = "overdue"
#     code = "print(1)"


class _ScriptFile(Frozen):
    """The whole file of replies."""

    reply: tuple[ScriptedReply, ...]
    """The replies in order."""

    # Only a file that was recorded from a run has these.
    seed: int | None = None
    """The seed from which the environments of the run were made."""
    scores: Mapping[str, float] = Field(default_factory=dict)
    """The score of each task in the run, by its id: `{"loans-1": 1.0}`."""


# A model whose replies come from a file, for tests, demonstrations and bug reports.
#
# Each reply says for which trials it is (see `_ScriptFile`). A trial gets the replies that are for
# it in the order of the file, one for each turn.


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
        try:
            if text is None:
                if path.exists() and not path.is_file():
                    msg = f"the replies file {path} is not a file; a TOML file with [[reply]] tables is needed"
                    raise ValueError(msg)
                text = path.read_text(encoding="utf-8-sig")
            document = parse_toml(text, most_bytes=bounds.MOST_LINE_BYTES)
            file = _ScriptFile.model_validate(document)
        except OSError as error:
            msg = f"cannot read the replies file {path}: {error.strerror}"
            raise ValueError(msg) from error
        except ValidationError as error:
            first_fault = error.errors()[0]
            # The place of the fault is `reply.3.when`, for example.
            place = ".".join(str(part) for part in first_fault["loc"])
            msg = f"{path}: {place}: {first_fault['msg']}"
            raise ValueError(msg) from error
        except (Unreadable, UnicodeDecodeError) as error:
            msg = f"{path} is not a replies file (TOML with [[reply]] tables): {error}"
            raise ValueError(msg) from error
        return cls(file.reply, f"scripted:{path.name}", file.seed, file.scores)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply for this turn.

        The first turn gets the first reply of the file that is for the trial, the second turn
        the second one, and so on. Raises `ModelError` if the file has no further one.
        """
        # The messages before the user's first one are the system prompt. If the user has not written
        # any, the first message of all counts as the user's.
        messages = request.messages
        first = 0
        for position, message in enumerate(messages):
            if message["role"] == "user":
                first = position
                break
        system_prompt = "\n".join(message["content"] for message in messages[:first])
        turn = 0  # the number of replies to the user so far
        for message in messages[first:]:
            if message["role"] == "assistant":
                turn += 1

        # They are the same in each turn: they depend on the start of the conversation alone.
        first_message = messages[first]["content"]
        replies_of_trial: list[ScriptedReply] = []
        for reply in self.replies:
            if reply.is_for(request, system_prompt, first_message):
                replies_of_trial.append(reply)
        if turn >= len(replies_of_trial):
            msg = f"the replies file has no reply for turn {turn + 1} of this trial"
            raise ModelError(msg)
        return replies_of_trial[turn].reply(turn)
