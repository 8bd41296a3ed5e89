"""The events of a script, the Python code with which a model acts.

They record the citations that it makes, and the memory that its process took.
"""

from __future__ import annotations

from typing import Annotated, Literal

from controlplane.agent.events.citation import Citation
from controlplane.agent.events.event import NumberedEvent, StepEvent
from controlplane.agent.events.record import VARIES_BY_RUN
from controlplane.agent.model import Count


class ScriptMeasured(StepEvent):
    """A step's script has ended, and the memory of its process was measured.

    All scripts of a trial share one process.
    """

    in_step_record = True  # A resumed trial reads it.

    type: Literal["script_measured"] = "script_measured"
    peak_memory_bytes: Annotated[Count, VARIES_BY_RUN]
    """The most memory that the process had taken by the end of the step."""


class CitationAnswered(NumberedEvent):
    """A script has cited a file as a source of its answer, which was allowed or refused."""

    in_step_record = True  # A resumed trial reads it.
    # A replay runs the script again, which cites the file again.
    compared_by_replay = ("citation",)

    type: Literal["citation"] = "citation"
    citation: Citation
    """The file that the script wants to cite, and how it is cited or why it is refused."""
