"""Programs such as podman run within limits: of their time, of their output, and until the run stops.

They pass on what a stranger's container prints, and wait as long as the stranger's commands do. Here
the programs are shell scripts of this machine, also in place of podman.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controlplane.agent.loop import LeftOpen
from controlplane.benchmarks.containers import runtime_program as program_run
from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.image_commands import ImageCommands
from controlplane.benchmarks.containers.runtime_program import (
    CommandInterrupted,
    ContainerError,
    RuntimeProgram,
    run_program,
)
from controlplane.benchmarks.harbor.tasks import Healthcheck
from controlplane.benchmarks.harbor.terminal_environment import TerminalEnvironment
from controlplane.benchmarks.harbor.trial_containers import wait_until_healthy
from controlplane.sandbox.interface import CallError
from tests.support.command import wait_until

LONG_S = 600.0
"""A time limit that no test reaches."""


class Stopped(Exception):
    """Raised by a test while a program runs."""


def test_only_the_start_and_the_end_of_a_long_output_are_kept() -> None:
    script = "printf start; head -c 5000000 /dev/zero; printf end"

    result = run_program(["sh", "-c", script], b"", LONG_S, output_bytes=1_000)

    assert result.exit_code == 0
    assert len(result.stdout) == 1_000
    assert result.stdout.startswith(b"start")
    assert result.stdout.endswith(b"end")
    assert result.left_out_bytes == 5_000_000 + len("start" + "end") - 1_000


def test_a_program_that_prints_without_end_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program_run, "MOST_PRINTED_BYTES", 1_000_000)

    result = run_program(["sh", "-c", "yes >&2"], b"", LONG_S)

    assert result.exit_code != 0
    assert result.stderr.endswith(b"[ended: it printed more than 1,000,000 bytes]\n")


def test_the_last_lines_of_a_long_build_tell_why_it_failed(tmp_path: Path) -> None:
    script = (
        "head -c 5000000 /dev/zero | tr '\\0' '\\n'; echo no such base image; exit 1"
    )
    images = ImageCommands(_podman(tmp_path, script))

    with pytest.raises(ContainerError, match="no such base image"):
        images.build(tmp_path, "image", LONG_S, has_network=False, proxies=())


def test_input_and_output_of_any_size_pass_at_the_same_time() -> None:
    data = b"0123456789" * 300_000

    result = run_program(["cat"], data, LONG_S, output_bytes=len(data))

    assert result.stdout == data
    assert result.left_out_bytes == 0


def test_input_that_nobody_reads_is_dropped() -> None:
    result = run_program(["sh", "-c", "exec <&-; echo done"], b"x" * 1_000_000, LONG_S)

    assert result.stdout == b"done\n"


def test_a_program_is_over_although_its_children_keep_the_output_open() -> None:
    result = run_program(["sh", "-c", "sleep 600 & echo $!"], b"", LONG_S)

    child = int(result.stdout)
    os.kill(child, signal.SIGKILL)  # It still ran.
    assert result.exit_code == 0


def test_a_program_that_has_closed_its_output_is_waited_for() -> None:
    result = run_program(["sh", "-c", "exec >&- 2>&-; sleep 0.3; exit 7"], b"", LONG_S)

    assert result.exit_code == 7


def test_what_a_program_has_started_in_another_session_ends_with_it(
    tmp_path: Path,
) -> None:
    """Podman starts some of its helpers in sessions of their own."""
    ids = tmp_path / "ids"
    script = f"setsid sh -c 'echo $$ >>{ids}; exec sleep 600' & echo $$ >>{ids}; wait"

    def stop_once_both_run() -> None:
        if ids.exists() and len(ids.read_text().splitlines()) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        run_program(["sh", "-c", script], b"", LONG_S, None, stop_once_both_run)

    process_ids = [int(line) for line in ids.read_text().splitlines()]
    wait_until(lambda: not any(_runs(process_id) for process_id in process_ids))


def _runs(process_id: int) -> bool:
    """Return True if a process runs: a dead one that nobody has waited for does not count."""
    try:
        status = Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def _podman(folder: Path, script: str) -> RuntimeProgram:
    """Return a program that takes podman's place: a shell script."""
    path = folder / "podman"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return RuntimeProgram(str(path))


@pytest.fixture
def stop_after_start(tmp_path: Path) -> Iterator[Callable[[RuntimeProgram], None]]:
    """A function that stops a run as soon as its program has made the file `started`."""
    threads: list[threading.Thread] = []

    def begin(program: RuntimeProgram) -> None:
        def stop() -> None:
            wait_until((tmp_path / "started").exists)
            program.stop_signal.set()

        thread = threading.Thread(target=stop)
        thread.start()
        threads.append(thread)

    yield begin
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    "check_script",
    [
        pytest.param("sleep 600", id="check that sleeps"),
        pytest.param("exit 1", id="pause between checks"),
    ],
)
def test_a_stop_ends_the_wait_for_a_healthy_container(
    tmp_path: Path,
    check_script: str,
    stop_after_start: Callable[[RuntimeProgram], None],
) -> None:
    program = _podman(tmp_path, f"touch {tmp_path}/started; {check_script}")
    check = Healthcheck(
        command="true", timeout_sec=100_000, interval_sec=100_000, start_period_sec=1e9
    )
    stop_after_start(program)

    with pytest.raises(CommandInterrupted):
        wait_until_healthy(Container(program, "name"), check)


def test_a_stop_ends_the_read_of_a_file_that_never_ends(
    tmp_path: Path, stop_after_start: Callable[[RuntimeProgram], None]
) -> None:
    """A pipe of a container, say. The trial stays open, and a resumed run reads it again."""
    program = _podman(tmp_path, f"touch {tmp_path}/started; sleep 600")
    place = CommandPlace(workdir="/")
    environment = TerminalEnvironment(Container(program, "name"), place, LONG_S)
    stop_after_start(program)

    with pytest.raises(LeftOpen):
        environment.call("read", {"path": "/tmp/pipe"})


def test_the_end_of_a_trial_ends_the_read_of_a_file_that_never_ends(
    tmp_path: Path,
) -> None:
    program = _podman(tmp_path, "sleep 600")
    place = CommandPlace(workdir="/")
    environment = TerminalEnvironment(Container(program, "name"), place, LONG_S)
    environment.ends_at = time.monotonic() + 0.5

    with pytest.raises(CallError, match=r"took too long|time of this trial is over"):
        environment.call("read", {"path": "/tmp/pipe"})
    with pytest.raises(CallError, match="time of this trial is over"):
        environment.call("read", {"path": "/tmp/pipe"})


def test_a_reading_program_that_prints_more_than_it_was_asked_for_fails(
    tmp_path: Path,
) -> None:
    """The agent is root in its container, and may have put another program in its place."""
    program = _podman(tmp_path, "head -c 5000000 /dev/zero")
    place = CommandPlace(workdir="/")
    environment = TerminalEnvironment(Container(program, "name"), place, LONG_S)

    with pytest.raises(CallError, match="print more than they were asked for"):
        environment.call("read", {"path": "/etc/hostname"})


def test_a_container_whose_command_prints_without_end_is_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the command would go on in the container when podman's program is gone."""
    monkeypatch.setattr(program_run, "MOST_PRINTED_BYTES", 1_000_000)
    program = _podman(
        tmp_path, f'echo "$@" >>{tmp_path}/made; if [ "$1" = exec ]; then yes; fi'
    )

    result = Container(program, "name").script("cat /tmp/a")

    assert result.exit_code != 0
    last_words = (tmp_path / "made").read_text().splitlines()[-1]
    assert last_words == "restart --time=0 name"


def test_a_container_is_removed_although_the_run_is_being_stopped(
    tmp_path: Path,
) -> None:
    from controlplane.benchmarks.containers.container_runtime import ContainerRuntime

    program = _podman(tmp_path, f'echo "$1" >>{tmp_path}/made')
    program.stop_signal.set()
    runtime = ContainerRuntime(program, ImageCommands(program))

    runtime.remove("name")
    with pytest.raises(CommandInterrupted):
        runtime.names({})

    assert (tmp_path / "made").read_text() == "rm\n"
