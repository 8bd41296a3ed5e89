"""Two commands of the README need a server of the reader's own: a model, and a platform with tasks.

They stand in blocks `sh skip`. Here they are run against servers of the tests. The model answers that no
request can be served, so that each trial fails, and nothing else does.
"""

import json
from pathlib import Path

import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.bench.local_servers import model_server
from tests.documentation.command_lines import run_line
from tests.documentation.pages import README, blocks
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.running_server import running_server

RUN_WITH_A_MODEL = "controlplane run --model qwen3:8b --limit 10"
RUN_ON_A_PLATFORM = "controlplane run --benchmark bitgn:<benchmark id> --model <model>"

REFUSAL = json.dumps(
    {
        "state": "",
        "plan": [],
        "done": True,
        "code": (
            'harness.answer({"answer": "no", "outcome": "OUTCOME_NONE_UNSUPPORTED"},'
            " lambda sp: True)"
        ),
    }
)
"""The reply of the model: a script that answers that the request cannot be served."""


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


@pytest.mark.usefixtures("shared_fork_servers")
def test_a_run_on_a_platform_of_the_readers_own(tmp_path: Path) -> None:
    """The platform serves the benchmark `tally`, which has two tasks here."""
    command = RUN_ON_A_PLATFORM.replace("<benchmark id>", "tally")
    command = command.replace("<model>", "canned") + " --max-steps 1"

    with (
        model_server([REFUSAL]) as port,
        running_server(EffectCounterBenchmark(2), ServerOptions()) as platform,
    ):
        result = run_line(
            command,
            tmp_path,
            OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1",
            OPENAI_API_KEY="none",
            BITGN_HOST=platform.url,
            BITGN_API_KEY="k",
        )

    assert result.code == 0, result.err
    assert "Traceback" not in result.err
