"""Shows people a run: its progress, its report, its trials page by page, the list of runs."""

from __future__ import annotations

from controlplane.view.progress.run_view import RunView

__all__ = ["RunView"]
