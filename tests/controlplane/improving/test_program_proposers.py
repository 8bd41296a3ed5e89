"""Proposers that are programs of the user: `improve --with "command:python agent.py"`.

Such a program is started in a folder with copies of the files that `--edit` lists, and with a report of
the failed trials. The texts that it leaves in these files are the next candidate.
"""

import sys

import pytest

from tests.controlplane.improving.riddle_loop import RiddleLoop
from tests.controlplane.improving.riddle_models import LOOK_AGAIN


def write_proposer(loop: RiddleLoop, program: str) -> str:
    """Write the program of a proposer, and return the value of `--with` for it."""
    path = loop.folder / "agent.py"
    path.write_text(program, encoding="utf-8")
    return f"command:{sys.executable} {path}"


BETTER_HINTS = "Read the record twice.\nName the code alone.\nKeep the letter case.\n"
"""Hints with which the player solves all riddles."""


class TestProgramsForHints:
    """A program edits the file of hints, after a look at the failed trials.

    `loop` is a loop over riddles, whose file hints.txt does not yet have what helps.
    `loop.improve(proposer=...)` runs it to its end.
    """

    def test_a_program_proposes_changes_of_listed_files_only(
        self, loop: RiddleLoop
    ) -> None:
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

        run = loop.improve("--json", proposer=proposer)

        assert run.json["is_better"], run.err
        best_candidate = loop.record.folder / "candidates" / run.json["best"]
        assert [path.name for path in best_candidate.iterdir()] == ["hints.txt"]

    def test_a_program_gets_a_report_of_failed_trials(self, loop: RiddleLoop) -> None:
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

        run = loop.improve("--json", proposer=proposer)

        assert run.json["is_better"], run.err


USELESS_RULES = """
from controlplane.gates.rules import RuleSet, Rule
def look(submission, evidence, case):
    return None
RULE_SET = RuleSet("own", (Rule("look", look),))
"""
"""A user's rule that lets every answer pass."""

BETTER_RULES = f"""
from controlplane.gates.rules import RuleSet, Rule
def look(submission, evidence, case):
    if submission.answer_text == "unknown":
        return {LOOK_AGAIN!r}
    return None
RULE_SET = RuleSet("own", (Rule("look", look),))
"""
"""A rule that sends the answer "unknown" back to the model, and tells it to look again. Then the model
solves the riddle."""


class TestProgramsForRules:
    """A program edits a module with rules for answers, in place of hints.

    The rules before the loop let every answer pass. The better ones send the answer "unknown"
    back to the model, which then solves the riddle.
    """

    @pytest.mark.second_tier
    def test_a_module_of_the_user_is_edited_and_each_candidate_plays_with_its_own(
        self, loop: RiddleLoop
    ) -> None:
        """The program replaces the module of the user's rules by one with the better rule."""
        rules_file = loop.folder / "own_rules.py"
        rules_file.write_text(USELESS_RULES, encoding="utf-8")
        proposer = write_proposer(
            loop,
            f"""
import pathlib
pathlib.Path('own_rules.py').write_text({BETTER_RULES!r})
""",
        )

        run = loop.improve(
            "--rule-sets",
            "own_rules:RULE_SET",
            "--json",
            proposer=proposer,
            edited_file="own_rules.py",
        )

        assert run.json["is_better"] is True, run.err
        # "0.33 → 1.00 on 12 unseen tasks": the score before the loop, and with the better rules.
        assert "→ 1.00" in run.json["text"]
