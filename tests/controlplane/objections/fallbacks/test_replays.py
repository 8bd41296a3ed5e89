"""A replay of a trial that ended with a fallback does not mention initial calls if there were none.

In some benchmarks, the product makes initial calls, and shows their results in the model's first
message, before the note "All above counts as read". The phone book has no such calls. A fallback is
the answer that the product gives if it accepted none of the model's.
"""

from pathlib import Path

import pytest

from tests.controlplane.objections.fallbacks.fallback_runs import (
    run_without_accepted_answer,
)
from tests.support.command import ROOT, run_in_process


@pytest.mark.parametrize(
    "options",
    [
        pytest.param((), id="the fallback is the model's last answer"),
        pytest.param(
            ("--fallback", "internal"), id="the fallback is an internal error"
        ),
    ],
)
def test_a_replay_does_not_mention_initial_calls_that_were_not_made(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    prompt = (ROOT / "prompts/first_message.md").read_text()
    note = "All above counts as read"
    assert prompt.startswith(note)
    run_without_accepted_answer(tmp_path, *options)

    replay = run_in_process("replay", "last", "--trial=ada", "--full", cwd=tmp_path)

    assert "first message" in replay.out
    assert "<instruction>" in replay.out  # The text of the message is shown.
    assert note not in replay.out
