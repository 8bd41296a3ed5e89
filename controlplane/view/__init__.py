"""What people see of a run while it goes on, and when it is over."""

from __future__ import annotations

from controlplane.view.progress.run_view import RunView

__all__ = ["RunView"]
