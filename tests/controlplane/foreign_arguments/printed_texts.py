"""What a command prints that may not end by itself.

For example:

    printed_by(("show", "last"), folder)    ->    "first · ..."
"""

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path

from tests.controlplane.foreign_arguments.known_commands import Words
from tests.support.command import run_in_process


@contextlib.contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Interrupt the block, as by Ctrl-C, if it takes longer."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    handler_before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler_before)


def printed_by(line: Words, folder: Path) -> str:
    """Run a command in the folder, and return what it prints; "" if it does not end within 5 s."""
    with contextlib.suppress(KeyboardInterrupt), interrupted_after(5):
        result = run_in_process(
            *line,
            cwd=folder,
            HOME=str(folder),
            XDG_STATE_HOME=str(folder),
            MODEL_ID=f"scripted:{folder}/replies.toml",
            CONTROLPLANE_BENCHMARK="tests.support.phonebook",
        )
        return result.out + result.err
    return ""
