"""A program of the user proposes hints: `improve --with "command:python agent.py"`.

It is started in a folder with copies of the files that `--edit` lists, and with a report of the failed
trials. The texts that it leaves in these files are the next candidate. `loop` is a loop over riddles,
whose file hints.txt does not yet have what helps.
"""

from tests.controlplane.improving.program_proposers.proposing_programs import (
    BETTER_HINTS,
    write_proposer,
)
from tests.controlplane.improving.riddle_loop import RiddleLoop

FEW_WORLDS = ("--train", "1-4", "--check", "101-103", "--final", "201-208")
"""As few final worlds as can still prove that hints are better, and a few others."""


def test_a_program_proposes_changes_of_listed_files_only(loop: RiddleLoop) -> None:
    """The program also writes a file that `--edit` does not list; a candidate has no such
    file."""
    proposer = write_proposer(
        loop,
        f"""
import pathlib
pathlib.Path('hints.txt').write_text({BETTER_HINTS!r})
pathlib.Path('other.txt').write_text('not listed')
""",
    )

    run = loop.improve("--json", proposer=proposer, parts=FEW_WORLDS)

    assert run.json["is_better"], run.err
    best_candidate = loop.record.folder / "candidates" / run.json["best"]
    assert [path.name for path in best_candidate.iterdir()] == ["hints.txt"]


def test_a_program_gets_a_report_of_failed_trials(loop: RiddleLoop) -> None:
    """The report is a table and a text. The program asserts that the text has the trace of each
    row; if it failed, it would propose nothing."""
    proposer = write_proposer(
        loop,
        f"""
import json, pathlib
rows = json.loads(pathlib.Path('failures/report.json').read_text())
report = pathlib.Path('failures/report.md').read_text()
assert rows and all(row['trace'] in report for row in rows)
pathlib.Path('hints.txt').write_text({BETTER_HINTS!r})
""",
    )

    run = loop.improve("--json", proposer=proposer, parts=FEW_WORLDS)

    assert run.json["is_better"], run.err
