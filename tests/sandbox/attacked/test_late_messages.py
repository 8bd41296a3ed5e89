"""A script that has reported the end of its step may go on sending messages to its parent.

A script's process talks to the parent over a socket. The script here has got hold of the socket:

    frame({"printed": "7"})     sends a message: that the script has printed "7"
    frame_of_call("/a.md")      sends a message that calls `harness.stat("/a.md")`
    answer()                    waits for the next message of the parent
"""

import time

import pytest

from controlplane.sandbox import Ending
from tests.sandbox.forgers import FORGERS_ISOLATION, run_forger
from tests.sandbox.opened_sandboxes import new_sandbox
from tests.sandbox.recording_host import RecordingHost

# Forgers run without the language layer, so that they run only if the kernel layer works.
pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("canary")]

# Tells the parent that the step of the script has ended: without an error, and with memory left.
END_OF_STEP = """
end_of_step = {"printed": "", "body": {
    "kind": "end", "ending": "finished", "error": "", "end_of_output": "", "is_spent": False,
}}
frame(end_of_step)
"""


def test_a_message_after_the_end_of_a_step_is_ignored(server):
    """The script reports the end of its step. It goes on nevertheless: it makes a call, reports the
    end again, now with a printed word, and waits."""
    script = (
        END_OF_STEP
        + "frame_of_call('/late')\n"
        + "frame(end_of_step | {'printed': 'late'})\n"
        + "while True: answer()"
    )
    host = RecordingHost()
    with new_sandbox(server, host, isolation=FORGERS_ISOLATION) as sandbox:
        result = run_forger(sandbox, script)
        time.sleep(0.05)  # The last messages arrive before the next step begins.
        next_step = sandbox.run("print('next')")

    assert result.ending is Ending.FINISHED
    assert next_step.output == "next\n"
    assert host.calls == []
