"""A program of the user edits a module with rules for answers, in place of hints.

    improve --with "command:python agent.py" --rule-sets own_rules:RULE_SET

The rules before the loop let every answer pass. The better ones send the answer "unknown" back to the
model, which then solves the riddle.
"""

import pytest

from tests.controlplane.improving.program_proposers.proposing_programs import (
    write_proposer,
)
from tests.controlplane.improving.riddle_loop import RiddleLoop
from tests.controlplane.improving.riddle_models import LOOK_AGAIN

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


@pytest.mark.second_tier
def test_a_module_of_the_user_is_edited_and_each_candidate_plays_with_its_own(
    loop: RiddleLoop,
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
