"""The user allows a task's container a network, in each of three phases: build, agent, verifier.

1. While the image is built, a command writes "on" or "off" into the file /build-network.
2. The agent writes "on" or "off" into the file /tmp/agent-network.
3. The verifier, a script, prints both files, and whether it has a network itself. It leaves no
   score, so that the trial's details show what it prints.
"""

from pathlib import Path

import pytest

from tests.benchmarks.harbor.container_runs import run_tasks, write_task

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]

PRINT_NETWORK = "if grep -q eth0 /proc/net/dev; then echo on; else echo off; fi"
"""A shell command that prints whether there is a network."""

VERIFIER = f"""
verifier=$({PRINT_NETWORK})
echo "build $(cat /build-network), agent $(cat /tmp/agent-network), verifier $verifier"
"""

REPLY_OF_THE_MODEL = f'''
[[reply]]
code = """
harness.shell("({PRINT_NETWORK}) >/tmp/agent-network")
scratchpad["answer"] = "done"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
"""
'''


@pytest.mark.parametrize(
    ("option", "networks"),
    [
        ("network=off", "build off, agent off, verifier off"),
        ("network=task", "build on, agent on, verifier on"),
        ("verifier_network=task", "build off, agent off, verifier on"),
        ("agent_network=task", "build off, agent on, verifier off"),
        ("build_network=task", "build on, agent off, verifier off"),
    ],
)
def test_build_agent_and_verifier_have_the_networks_that_the_user_allows(
    tmp_path: Path, option: str, networks: str
) -> None:
    """The task wants a network in all phases: "task" allows that, and "off" allows none.

    Phases that an option does not name are off.
    """
    # The first line differs in each test: podman would take the second from its cache.
    dockerfile = f"ENV TEST={tmp_path}\nRUN ({PRINT_NETWORK}) >/build-network\n"
    task = write_task(tmp_path / "task", verifier=VERIFIER, dockerfile=dockerfile)
    replies = tmp_path / "replies.toml"
    replies.write_text(REPLY_OF_THE_MODEL)

    run = run_tasks(task, f"scripted:{replies}", tmp_path, "--set", option)

    assert networks in run.json["trials"][0]["details"], run.out
