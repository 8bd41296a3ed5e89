"""The end of the text that a model is writing."""

from __future__ import annotations

from controlplane.lifecycle.run_lifecycle import Run
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line


class ModelText:
    """The end of the text that the model of a run is writing; empty between its replies."""

    def __init__(self) -> None:
        self._text = ""

    def follow(self, run: Run) -> None:
        """Let the endpoints of a run tell each part of a text that arrives."""
        for endpoint in run.resources.models.endpoints:
            endpoint.stream_to(self._add)

    def _add(self, text: str) -> None:
        self._text = (self._text + text)[-bounds.SHOWN_VALUE_CHARS :]

    def forget(self) -> None:
        """Drop the text, since the model has written it to its end."""
        self._text = ""

    def shown(self) -> str:
        """Return the text in one line, as in `…and then`; empty if there is none."""
        return f"…{one_line(self._text)}" if self._text else ""
