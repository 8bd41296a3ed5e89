"""Shows the progress of a library's run in a Jupyter notebook, below the cell that runs it."""

from __future__ import annotations

import contextlib
import sys
from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run


def notebook_display(run: Run) -> AbstractContextManager[object]:
    """Return a context manager that shows a run in a notebook, and elsewhere shows nothing.

    With ipywidgets, rich redraws one picture in place. Without it, lines are printed one
    below the other, as in a pipe.
    """
    if "ipykernel" not in sys.modules:
        return contextlib.nullcontext()

    if find_spec("ipywidgets") is None:
        from controlplane.view.progress.plain_display import plain_display

        return plain_display(run)

    from controlplane.view.printed_columns import CleanConsole
    from controlplane.view.progress.live_display import live_picture

    return live_picture(run, CleanConsole(force_jupyter=True, highlight=False))
