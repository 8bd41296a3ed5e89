"""A program calls `run` or `solve` in its own process, in any thread, and the process stays as it was.

A command has a process for itself, and may set it up as it likes.
"""

import gc
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import controlplane
from tests.controlplane.library.program_tasks import STOCK_TASK

REPLY_WITH_COLOUR = """
# A reply of the model: a script that reads the file, cites it, and submits its text as the answer.
[[reply]]
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.read("/a.txt").content, "OUTCOME_OK"
scratchpad.cite("/a.txt", "the text that is asked for")
harness.answer(scratchpad, lambda sp: sp["answer"] == "blue")
'''
"""


def test_a_single_question_about_files_is_answered_in_any_thread(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    """`controlplane.solve` plays one trial without a task or a grader, so that it has no score. In a
    thread, Python allows no handlers of signals."""
    (tmp_path / "colour.toml").write_text(REPLY_WITH_COLOUR)
    settings["model"] = "scripted:colour.toml"
    trials = []

    def solve() -> None:
        trial = controlplane.solve({"/a.txt": "blue"}, "Which colour?", **settings)
        trials.append(trial)

    thread = threading.Thread(target=solve)
    thread.start()
    thread.join()

    (trial,) = trials
    assert trial.answer == "blue"
    assert trial.refs == ("/a.txt",)
    assert trial.score is None


def test_a_run_leaves_the_process_as_it_was(settings: dict[str, Any]) -> None:
    """A command changes how its process switches threads, collects garbage and handles Ctrl-C."""
    switch_interval_s = sys.getswitchinterval()
    collection_thresholds = gc.get_threshold()
    interrupt_handler = signal.getsignal(signal.SIGINT)
    working_folder = Path.cwd()
    variables = dict(os.environ)
    frozen_objects = gc.get_freeze_count()

    controlplane.run([STOCK_TASK], **settings)

    assert sys.getswitchinterval() == switch_interval_s
    assert gc.get_threshold() == collection_thresholds
    assert signal.getsignal(signal.SIGINT) == interrupt_handler
    assert Path.cwd() == working_folder
    assert dict(os.environ) == variables
    # `gc.freeze` exempts objects from garbage collection. The run freezes none; objects that an
    # earlier test froze may end meanwhile.
    assert gc.get_freeze_count() <= frozen_objects
