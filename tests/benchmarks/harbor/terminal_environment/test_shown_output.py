"""The user sees what a command of an agent prints in its container, while the command runs.

`environment.show_output` is called with the last part of the output. At the end it is called with
an empty text, which takes the output away.
"""

import pytest

from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment

pytestmark = pytest.mark.second_tier


def test_the_output_of_a_command_is_shown_while_it_runs(
    environment: TerminalEnvironment,
) -> None:
    """The command prints a line, and goes on once /tmp/seen is made: when the line is shown."""
    shown_texts: list[str] = []

    def show_output(text: str) -> None:
        shown_texts.append(text)
        if text:
            environment.container.script("touch /tmp/seen")

    environment.show_output = show_output
    wait_until_seen = "while [ ! -e /tmp/seen ]; do sleep 0.1; done"
    command = f"echo compiling; {wait_until_seen}; echo finished"
    result = environment.call("shell", {"command": command})

    assert shown_texts[0] == "compiling\n"
    assert shown_texts[-1] == ""
    assert result["stdout"] == "compiling\nfinished\n"
