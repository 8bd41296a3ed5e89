"""The hints that the proposer of a loop over riddles replies with.

    message = '''# hints.txt
    Solve the riddle.
    # Trials
    ## alder.1: score 0.00
    AL-477
    '''
    better_hints(message)      # "Solve the riddle.\\nRead the record twice.\\n"
    copying_hints(message)     # "Solve the riddle.\\nThe id is AL-477.\\n"

The message to the proposer has the present hints, and trials of riddles with what their scripts
printed: the id in the riddle's record, such as AL-477. All ids end with 77.
"""

import re

from tests.controlplane.improving.riddle_kinds import KINDS_BY_NAME


def better_hints(message: str) -> str:
    """Return the present hints, changed so that they solve the first riddle that failed."""
    hints, trials = hints_and_trials(message)
    failed_kinds = re.findall(r"## (\w+)\.1: score 0\.00", trials)
    if not failed_kinds:
        return f"{hints}\nGood luck.\n"
    return KINDS_BY_NAME[failed_kinds[0]].mended(hints)


def copying_hints(message: str) -> str | None:
    """Return hints that copy an id from a trial, or None if there is no id in the trials.

    `improve` refuses such hints, as the id is right in one world only.
    """
    hints, trials = hints_and_trials(message)
    record_id = re.search(r"^[A-Z]{2}-\d+77$", trials, re.MULTILINE)
    return f"{hints}\nThe id is {record_id[0]}.\n" if record_id else None


def was_refused(message: str) -> bool:
    """Return whether the message says that an earlier proposal was refused."""
    _, trials = hints_and_trials(message)
    return "refused" in trials


def hints_and_trials(message: str) -> tuple[str, str]:
    """Return two parts of a message: `("Solve the riddle.", "## alder.1: score 0.00\\n...")`."""
    files, _, trials = message.partition("\n# Trials\n")
    _, _, hints = files.partition("# hints.txt\n")
    return hints.strip("\n"), trials
