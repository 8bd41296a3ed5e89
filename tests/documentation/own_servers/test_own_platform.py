"""The README has a command that plays tasks of a platform of the reader's own.

It is run here against servers of the tests: a platform that serves the benchmark `tally`, with two
tasks, and a model that answers that no request can be served. So each trial fails, and nothing else
does.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.bench.local_servers import model_server
from tests.documentation.command_lines import run_line
from tests.documentation.own_servers.readme_commands import REFUSAL, RUN_ON_A_PLATFORM
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.running_server import running_server


@pytest.mark.usefixtures("shared_fork_servers")
def test_a_run_on_a_platform_of_the_readers_own(tmp_path: Path) -> None:
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
