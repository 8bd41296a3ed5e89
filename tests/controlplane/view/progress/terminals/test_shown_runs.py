"""A terminal shows a run while it plays, and at its end only the table of its result.

    seen · tests.support.many_trials:12 · scripted:crowd.toml
    ... 5 of 12 ... 0:03 ...

The run plays twelve trials, four at a time, of which seat-005 and seat-010 are wrong.
"""

import re

from tests.controlplane.view.progress.terminals.run_terminals import Terminals


def test_a_run_shows_its_progress_while_it_plays(terminals: Terminals) -> None:
    with terminals.run(
        "--concurrency", "4", "--name", "seen", trials=12, call_time_s=0.2
    ) as terminal:
        progress = terminal.wait_for(r"[1-9] of 12")
        assert "seen · tests.support.many_trials:12 · scripted:crowd.toml" in progress
        assert re.search(r"0:0\d", progress), progress  # the time since the start
        assert re.search(r"seat-\d+ +step +\d", progress), progress
        assert "Ctrl-C: stop" in progress
        # The line below the mean score counts answers that a check has sent back to the model.
        terminal.wait_for(r"mean score .*\n.*sent back by gate 6 \(wording\) ×\d+")
        assert terminal.screen.cursor.hidden


def test_a_run_leaves_only_the_table_of_its_result_behind(terminals: Terminals) -> None:
    """The table has four of the twelve trials. The wrong ones come first."""
    with terminals.run(
        "--concurrency", "4", "--name", "seen", trials=12, call_time_s=0.2
    ) as terminal:
        assert terminal.finish() == 0
        assert terminal.is_as_before
        result = terminal.everything
        rows = [line.split()[0] for line in terminal.lines if line.startswith("seat-")]

    assert "Ctrl-C" not in result
    assert result.startswith("seen · tests.support.many_trials")
    assert rows == ["seat-005", "seat-010", "seat-001", "seat-002"]
    # 10 of 12 trials are right.
    assert "mean score 0.833 over 12 of 12 trials" in result
    # "next  .../controlplane replay 2031-05-04-... --trial seat-005". The terminal breaks this
    # long line, so a space or nothing may be left between two words.
    assert re.search(
        r"next .* replay ?\S+? ?--trial ?seat-005", result.replace("\n", "")
    )
