"""A submission that is made to be slow is judged with bounded work.

`executed_lines` counts the lines of Python that are executed, which does not depend on how fast the
machine is.
"""

from tests.agent.gated_exit.judging.cited_answers import (
    answer_citing,
    verdicts_in_this_process,
)
from tests.gates.recorded_calls import CallsOfTrial
from tests.support.executed_work import executed_lines


def test_a_submission_made_to_be_slow_is_judged_with_bounded_work() -> None:
    """A text of 260,000 words is cited 900 times, each time with 400 words that it does not have.

    If each word were compared with each word, billions of lines of Python would be executed.
    """
    # The 64 words "bl", "bm", ..., "kt"
    text_words = [first + second for first in "bcdfghjk" for second in "lmnpqrst"]
    calls = CallsOfTrial()
    calls.read_text("/long.txt", f"w1 {' '.join(text_words)} " * 4_000)

    # The 400 words "bl-fs", "bl-ft", ...: the text has their halves only.
    first_halves = text_words[:20]
    second_halves = text_words[30:50]
    reason_words = [
        f"{half}-{other}" for half in first_halves for other in second_halves
    ]
    reason = " ".join(reason_words)
    citations = {f"/long.txt#{number}": f"{number} {reason}" for number in range(900)}
    evidence = calls.evidence

    lines = executed_lines(
        lambda: verdicts_in_this_process(
            answer_citing(citations), evidence, rule_sets=("ecom",)
        )
    )

    assert lines < 20_000_000
