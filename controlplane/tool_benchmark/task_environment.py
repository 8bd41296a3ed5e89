"""The world of one trial, for a benchmark that is written in Python.

A world has files, tools (`Tool`), a policy, a clock and a simulated user. The benchmark
creates the world and scripts work in it. Then the benchmark's grader checks the calls
that were made and how the world has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from controlplane.local_benchmark.local_environment import (
    LocalEnvironment,
    SubmittedAnswer,
)
from controlplane.sandbox import FileTree
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.interface import CallError, Plain, error_codes
from controlplane.tool_benchmark.call_log import CallLog
from controlplane.tool_benchmark.conversation import (
    CHANGED_TOOLS,
    SAY,
    User,
    user_of_messages,
)
from controlplane.tool_benchmark.environment_calls import EnvironmentCall
from controlplane.tool_benchmark.script_tools import ScriptTools
from controlplane.tool_benchmark.world_schema import checked_files, world_schema
from controlplane.tools.function_tool import ENDED, Tool


class TaskEnvironment:
    """The world of one trial, for the code of its benchmark: its task, its tools and its grader.

    There are two objects for one world:

    - This one belongs to the benchmark, which creates it for a trial and reads it to
      grade. It keeps the tools, the user and the calls.
    - Its `runtime` belongs to the control plane. Scripts read and write files, call
      tools and answer there. For each call of a tool, the runtime calls the method
      `call` of this object.

    One trial uses both, from one thread at a time.
    """

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        *,
        files: Mapping[str, str] | None = None,
        policy: str = "",
        clock: datetime | None = None,
        user: Callable[[str], str | None] | Sequence[str] | None = None,
        state: Any = None,
    ) -> None:
        """Create a world.

        Raises `ValueError` for a path that is not absolute,
        and for a tool that scripts cannot call.

        - `tools`: the tools that scripts can call.
        - `files`: the texts that scripts read and write, by absolute path.
        - `policy`: a text that the first message shows, and that an answer has to follow.
        - `clock`: the time that scripts see, in UTC unless it has another time zone. By
          default scripts see no time.
        - `user`: the user that scripts talk to by `harness.say(text)`. It may be a
          function that takes the text and returns the reply, or None to end the
          conversation and the trial. It may also be the list of the user's replies, one
          for each `say`; a further `say` ends the trial.
        - `state`: any object of the benchmark itself.
        """
        self.state = state
        """An object of the benchmark itself, such as a database."""
        self.calls: list[EnvironmentCall] = []
        """All calls of tools so far, in order. Failed calls are included."""
        self.turn = 0
        """The turn of the conversation, from 0: the number of messages
        that the user has received. It decides which tools with a `first_turn`
        or a `last_turn` are available."""
        self.is_over = False
        """True after the environment has ended the trial. A tool may set it:
        the script that called the tool is then the last one. It is also set when
        the user ends the conversation."""

        if user is not None and not callable(user):
            user = user_of_messages(user)
        self._user = user
        texts = checked_files(files or {}, policy)
        has_user = user is not None
        self._tools = ScriptTools.declared(
            tools, has_files=bool(texts), has_user=has_user
        )
        operations = self._tools.operations(has_user=has_user)
        self.runtime = LocalEnvironment(
            tool_schema=world_schema(texts, policy, operations),
            world=WorldFiles(texts, ""),
            tree=FileTree(texts),
            clock=clock,
            run_tool=self.call,
        )
        """The environment that the control plane uses."""

    @property
    def answer(self) -> str | None:
        """The text of the accepted answer.

        None before an answer is accepted, or if the environment ended the trial.
        """
        return self._submitted.message if self._submitted else None

    @property
    def outcome(self) -> str:
        """The outcome of the answer; empty if there is no answer."""
        return self._submitted.outcome if self._submitted else ""

    @property
    def refs(self) -> tuple[str, ...]:
        """The citations of the answer."""
        return self._submitted.refs if self._submitted else ()

    @property
    def _submitted(self) -> SubmittedAnswer | None:
        """The accepted answer; None if there is none, or if the environment ended the trial."""
        if self.is_over:
            return None
        return self.runtime.submission

    @property
    def files(self) -> Mapping[str, str]:
        """The present texts of all files, by path."""
        texts = {**self.runtime.first_files, **self.runtime.changes}
        return {path: text for path, text in texts.items() if text is not None}

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The files written (path to text) and deleted (path to None) since the trial started."""
        return self.runtime.changes

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Make a script's call of a tool, or of `say`, and return the fields of its result.

        `name` and `arguments` are as scripts write them. Raises `CallError`.
        """
        if self.is_over:
            msg = "the environment has ended this trial"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        if name == SAY.name and self._user is not None:
            result = self._tell_user(self._user, arguments["text"])
        else:
            # Tools with a `first_turn` or a `last_turn` come and go during the conversation.
            tool = self._tools.available_tool(name, self.turn)
            result = self._log.call_tool(tool, arguments, self.turn)
        if self.is_over:  # The tool or the user has ended the trial during this call.
            result[ENDED] = True
        return result

    @property
    def _log(self) -> CallLog:
        """Makes calls, and records them in `calls`, which the benchmark may set to a new list."""
        return CallLog(self.calls)

    def _tell_user(self, user: User, text: str) -> dict[str, Plain]:
        """Send a text to the user, begin the next turn, and return the fields of `say`'s result.

        They are the reply and, if the tools of this turn are other ones than before, a
        text that names the new and the gone tools. A reply of None ends the trial.
        """
        reply = self._log.tell_user(user, text, self.turn)
        self.turn += 1
        if reply is None:
            self.is_over = True
        result: dict[str, Plain] = {"reply": "" if reply is None else str(reply)}
        changed_tools = self._tools.changes_in(self.turn)
        if changed_tools:
            result[CHANGED_TOOLS] = changed_tools
        return result
