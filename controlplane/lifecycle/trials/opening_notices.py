"""Tells the user once per run what is doubtful about the tools or the initial prompt of trials."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import ConversationOpened
from controlplane.agent.loop.initial_prompt.prompt_notices import (
    failed_searches_notice,
    shortened_notice,
)
from controlplane.journal.run_events import JournalEvent
from controlplane.lifecycle.resources.notices import Notices
from controlplane.lifecycle.trials.trial_reports import Emit
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class OpeningNotices:
    """Passes on the events of the solver's work, and shows notices about them."""

    emit_event: Emit
    notices: Notices

    def emit(self, event: JournalEvent) -> None:
        """Emit an event of the solver's work.

        Tell the user once if all searches of the initial prompt were refused, or if it
        does not fit into the model's context.
        """
        self.emit_event(event)
        if isinstance(event, ConversationOpened):
            for notice in (
                failed_searches_notice(event.calls),
                shortened_notice(event),
            ):
                if notice:
                    self.notices.show_once(notice)

    def warn_of_doubtful_tools(self, tool_schema: ToolSchema) -> None:
        """Tell the user once which tools do not say whether they change something.

        To be safe, they are treated as if they did.
        """
        names = tool_schema.doubtful
        if names:
            self.notices.show_once(
                "nothing says whether these tools change something, so each is taken to: "
                f"{', '.join(names)}. For those that only read, say so: "
                f"--reads {','.join(names)} (without those that change something)"
            )
