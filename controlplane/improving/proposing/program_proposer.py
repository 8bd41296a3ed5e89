"""A program of the user's, such as a coding agent, that proposes changes of a candidate."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from controlplane.errors import BudgetExhausted, ControlPlaneError, as_usage_error
from controlplane.improving.loop_lines import Proposed
from controlplane.improving.proposing.proposal_files import proposed_files, report_files
from controlplane.improving.proposing.proposal_request import ProposalRequest
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import bounds


class ProgramProposer:
    """A program, such as a coding agent, that edits copies of the candidate's files.

    The copies are in a temporary folder, away from the loop's results, which the program
    must not see. A report of the trials is in its folder `failures`.
    """

    def __init__(self, words: Sequence[str], ends_at: float) -> None:
        """Take the words of the command, and the time (by `time.monotonic`) when the loop ends."""
        self._words = words
        self._ends_at = ends_at

    def propose(self, request: ProposalRequest) -> Proposed:
        """Start the program, and return what it leaves in the named files."""
        with TemporaryDirectory(prefix="controlplane-") as temporary:
            # Coding agents look for their settings in the folders above. They would find
            # other users' settings in the folder for temporary files. A few new folders
            # in between keep them away from it.
            folder = Path(temporary, "loop", "proposal", "files")
            for name, text in request.texts.items():
                write_whole(folder / name, text.encode(), folder)
            for name, text in report_files(request).items():
                write_whole(folder / "failures" / name, text.encode(), folder)
            self._run_in(folder)
            return proposed_files(folder, request.names)

    def _run_in(self, folder: Path) -> None:
        """Run the program in a folder until it ends.

        Raises `BudgetExhausted` if that takes too long.
        """
        environment = dict(os.environ)
        environment["PWD"] = str(folder)
        environment.pop("OLDPWD", None)  # It may name the user's folder.
        with as_usage_error("--with command", OSError):
            process = subprocess.Popen(
                self._words,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=2,  # Standard output holds the loop's result.
                start_new_session=True,
            )

        limit_s = min(self._ends_at - time.monotonic(), bounds.LONGEST_PROGRAM_S)
        try:
            code = process.wait(max(limit_s, 0.0))
        except subprocess.TimeoutExpired:
            msg = (
                f"{self._words[0]} was ended: the loop's time, or "
                f"{bounds.LONGEST_PROGRAM_S:g} s, was over"
            )
            raise BudgetExhausted(msg) from None
        finally:
            # The program may have left processes behind in its session, even if it has ended.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code:
            msg = f"--with command: {self._words[0]} ended with {code}"
            raise ControlPlaneError(msg)
