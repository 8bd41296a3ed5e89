"""The README has a command that needs a model of the reader's own, and one that needs a platform.

They stand in blocks `sh skip`. The first one, `controlplane run --model qwen3:8b --limit 10`, is
run here against a server of the tests. Its model answers that no request can be served, so that
each trial fails, and nothing else does.
"""

from pathlib import Path

import pytest

from tests.bench.local_servers import model_server
from tests.documentation.command_lines import run_line
from tests.documentation.own_servers.readme_commands import (
    REFUSAL,
    RUN_ON_A_PLATFORM,
    RUN_WITH_A_MODEL,
)
from tests.documentation.pages import README, blocks


def test_the_readme_has_two_commands_for_own_servers() -> None:
    commands = []
    for block in blocks(README, "sh skip"):
        for line in block.splitlines():
            if line.startswith("controlplane "):
                commands.append(line)

    assert commands == [RUN_WITH_A_MODEL, RUN_ON_A_PLATFORM]


@pytest.mark.usefixtures("shared_fork_servers")
def test_a_run_with_a_model_of_the_readers_own(tmp_path: Path, heavy: bool) -> None:
    command = RUN_WITH_A_MODEL + " --max-steps 1"
    if not heavy:
        command = command.replace("--limit 10", "--limit 2")

    with model_server([REFUSAL]) as port:
        result = run_line(
            command,
            tmp_path,
            OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1",
            OPENAI_API_KEY="none",
        )

    assert result.code == 0, result.err
    assert "Traceback" not in result.err
