"""A script that runs again as the same step gets the same random numbers, and sees the same time.

A trial can be replayed only if its steps give the same bytes again. In plain Python,
`random.random()` and `datetime.now()` differ each time. In the sandbox, both depend on the trial's
seed and start, and on the number of the step; clocks only go on while a script sleeps.
"""

import pytest

from controlplane.sandbox import ForkServer
from tests.sandbox.repeated.repeated_steps import result_of_step_4


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            "import random as r\n"
            "print(r.random(), r.Random().random())\n"
            "print(r.sample(range(99), 5), r.gauss(0, 1))",
            id="random numbers",
        ),
        pytest.param(
            "from statistics import NormalDist\nprint(NormalDist(0, 1).samples(3))",
            id="samples of a distribution",
        ),
        pytest.param(
            "import uuid\nprint(uuid.uuid4(), uuid.uuid1(), uuid.uuid4())",
            id="uuids",
        ),
        pytest.param(
            "from datetime import datetime, date, timezone\n"
            "import time\n"
            "print(datetime.now(), datetime.now(timezone.utc), datetime.utcnow())\n"
            "print(date.today(), datetime.today())\n"
            "print(time.time(), time.ctime(), time.strftime('%c'))\n"
            "print(time.localtime(), time.gmtime().tm_min)\n"
            "print(time.monotonic(), time.perf_counter_ns(), time.process_time())",
            id="clocks",
        ),
        pytest.param(
            "import time\nt = time.time()\ntime.sleep(90)\nprint(time.time() - t)",
            id="sleep",
        ),
    ],
)
def test_a_step_gives_the_same_in_another_process_and_after_other_steps(
    script: str, server: ForkServer, other_server: ForkServer
) -> None:
    """The script is the fourth step of a trial. The three before it are left out or, as the noisy
    steps, make thousands of objects and change settings of their process."""
    first = result_of_step_4(script, server)
    in_another_process = result_of_step_4(script, other_server)
    after_noisy_steps = result_of_step_4(script, server, after_noisy_steps=True)

    assert first.error == ""
    assert in_another_process == first
    assert after_noisy_steps == first


def test_a_clock_goes_on_by_the_time_that_a_script_sleeps(server: ForkServer) -> None:
    """Nobody waits for the 90 seconds."""
    script = "import time\nt = time.time()\ntime.sleep(90)\nprint(time.time() - t)"

    assert result_of_step_4(script, server).output == "90.0\n"
