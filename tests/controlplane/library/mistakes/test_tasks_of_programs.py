"""A command cannot play the tasks of a Python program, as they are objects of the program.

`controlplane.run([Task(...)])` plays the tasks of a program. The command `controlplane rerun
JOURNAL` would need their functions, which are not there. Its error says so: "objects of a Python
program".
"""

from typing import Any

import controlplane
from controlplane.errors import UsageError
from tests.controlplane.library.program_tasks import STOCK_TASK, run_command
from tests.support.command import check_error_line


def test_the_command_line_cannot_play_the_tasks_of_a_program(
    settings: dict[str, Any],
) -> None:
    run = controlplane.run([STOCK_TASK], **settings)

    rerun = run_command("rerun", run.journal)

    check_error_line(rerun, UsageError.exit_code, "objects of a Python program")
