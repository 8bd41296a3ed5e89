"""What is known about a request before files are chosen for its first message.

For "Close loan-12", the first calls have read the workspace's rules, listed the files, and run
a tool that prints who asks. By these facts, `find_files` finds the files to show.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from controlplane.agent.retrieval.asker import Asker
from controlplane.agent.retrieval.listing.listed_files import ListedFiles


@dataclass(slots=True)
class RequestFacts:
    """The request, and what the first calls say about it. They fill the fields one by one."""

    instruction: str
    """The request: "Close loan-12"."""
    now: datetime | None = None
    """The trial's clock, with its time zone; None if the trial has no clock."""
    rules: str = ""
    """The text of the workspace's rules; empty until they are read."""
    listed: ListedFiles = field(default_factory=ListedFiles)
    """The files that the first calls listed."""
    outputs: list[str] = field(default_factory=list)
    """The outputs of tools that were run for the first message, such as `whoami`, which prints
    who asks. Help texts are left out."""
    asker: Asker = field(default_factory=Asker)
    """The user who asks, if the environment declares a tool that prints this."""
