"""A loop of `improve` over riddles, with its first hints in a file and a server of its models.

    with riddle_loop_in(folder, RiddleModels()) as loop:
        loop.improve("--json")

The hints have two sentences that harm, and lack three that help.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.controlplane.improving.riddle_loop import RiddleLoop
from tests.support.endpoints import Responder, model_server

FIRST_HINTS = "Solve the riddle.\nAnswer before you look.\nShorten every code.\n"
"""The hints before the loop. They have the sentences that dogwood and elm must not have, and lack those
that alder, birch and cedar need."""


@contextmanager
def riddle_loop_in(folder: Path, models: Responder) -> Iterator[RiddleLoop]:
    """Write the first hints into a folder, and serve the models of its loop for the block."""
    (folder / "hints.txt").write_text(FIRST_HINTS, encoding="utf-8")
    with model_server(models) as server:
        yield RiddleLoop(folder, server)
