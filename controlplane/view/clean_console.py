"""A terminal that shows untrusted text and obeys none of it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from controlplane.view.display_text import sanitize


class CleanConsole(Console):
    """A console that makes control characters visible in everything it prints, whoever wrote the text."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of a renderable, their texts sanitized."""
        for segment in super().render(renderable, options):
            is_clean = segment.control or segment.text == "\n" or segment.text.isprintable()
            yield segment if is_clean else Segment(sanitize(segment.text), segment.style)
