"""The result of a run goes to a file while the terminal shows how the run goes on.

    controlplane run --json > result.json

The terminal shows a picture of the run: a line for each trial with its step, "seat-004 ... step". The
picture goes to standard error, so that the file has nothing but the result, and is erased at the end.
"""

import json

from tests.controlplane.view.progress.terminals.run_terminals import Terminals
from tests.support.terminal import Terminal


def test_the_result_goes_to_a_file_while_the_terminal_shows_the_run(
    terminals: Terminals,
) -> None:
    # Each call takes 0.2 s, so that the picture can be seen.
    command = terminals.words("--json", trials=6, call_time_s=0.2)
    result_file = terminals.folder / "result.json"

    with (
        result_file.open("wb") as output,
        Terminal(*command, cwd=terminals.folder, output=output) as terminal,
    ):
        terminal.wait_for(r"seat-\d+ +step")
        assert terminal.finish() == 0
        assert terminal.text.strip() == ""  # The picture was erased.

    result = json.loads(result_file.read_text())
    assert result["trials_over"] == 6
