"""A trial whose script gives no answer is answered by the harness itself, with a fallback."""

from pathlib import Path

import pytest

from tests.controlplane.platform_faults.faulty_platforms import faulty_platform
from tests.controlplane.platform_faults.platform_commands import OK

FLOOD = """
for number in range(10**6):
    print("x" * 1000)
"""

ALL_MEMORY = """
parts = []
while True:
    parts.append("x" * 10**6 + str(len(parts)))
"""


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    "script",
    [
        pytest.param("while True: pass", id="hangs"),
        pytest.param("raise SystemExit(1)", id="exits"),
        pytest.param(FLOOD, id="floods its output"),
        pytest.param(ALL_MEMORY, id="takes all memory"),
        pytest.param("print(1)", id="never answers"),
    ],
)
def test_every_trial_is_answered_whatever_its_scripts_do(
    script: str, tmp_path: Path, heavy: bool
) -> None:
    """Each trial has one step, in which the model replies with the script, and one second."""
    trials = 100 if heavy else 4
    (tmp_path / "replies.toml").write_text(f"[[reply]]\ncode = '''\n{script}\n'''\n")

    with faulty_platform(tmp_path, trials=trials) as platform:
        played = platform.command(
            "run",
            "--benchmark",
            "bitgn:tally",
            "--model",
            "scripted:replies.toml",
            "--rule-sets",
            "none",
            "--json",
            "--concurrency",
            "10",
            "--max-steps",
            "1",
            "--trial-time",
            "1",
        )

    assert played.code == OK, played.err
    states = [trial["state"] for trial in played.json["trials"]]
    assert states == ["fallback"] * trials
    benchmark = platform.benchmark
    answers = [effects["answer"] for effects in benchmark.effects.values()]
    assert answers == [1] * trials
    assert len(benchmark.scores) == trials  # Each trial was ended.
    assert benchmark.submits == 1
