"""Runs on real Dask workers: processes of their own, each in an empty folder, of which some are killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from controlplane.journal.journal_content import open_journal
from controlplane.replay.verification import verify
from tests.support.command import Result, check_line, controlplane, started, wait_until
from tests.support.dask_processes import DaskProcesses, dask_processes
from tests.support.in_process_command import inside
from tests.support.many_trials import SCRIPT

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")


START_S = 120
"""Three processes import all that a run needs, which a busy machine takes long for."""


def scores_of(result: dict[str, Any]) -> dict[str, tuple[float | None, str]]:
    """The scores by trial, without the part of a trial's id that is the run's."""
    return {each["trial_id"].rpartition("-")[0]: (each["score"], each["outcome"]) for each in result["trials"]}


def journal_in(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in (folder / "runs").glob("*.jsonl"))


def ended(run: subprocess.Popen[str]) -> Result:
    with run:
        out, err = run.communicate(timeout=400)
    return Result(run.returncode, out, err)


def played_with_losses(cluster: DaskProcesses, folder: Path, flags: tuple[str, ...], losses: list[int]) -> Result:
    """Run, and kill one more worker each time that so many trials have begun."""
    run = started("run", *flags, "--json", "--workers", f"dask:{cluster.address}", cwd=folder)
    try:
        for worker, count in zip(cluster.workers, losses, strict=False):
            wait_until(
                lambda count=count: journal_in(folder).count(b'"type":"trial_started"') >= count, within_s=START_S
            )
            os.killpg(worker.pid, signal.SIGKILL)
        return ended(run)
    finally:
        run.kill()


def check_losses(tmp_path: Path, *, trials: int, workers: int, losses: list[int], played: tuple[str, ...] = ()) -> None:
    home, alone = tmp_path / "home", tmp_path / "alone"
    home.mkdir()
    alone.mkdir()
    tries = max(trials // 50, 1)
    flags = ("--limit", str(trials // tries), "--repeats", str(tries), "--concurrency", str(2 * workers), *played)
    with dask_processes(tmp_path, workers) as cluster:
        done = played_with_losses(cluster, home, flags, losses)
        logs = cluster.logs
    by_threads = ended(started("run", *flags, "--json", cwd=alone))
    assert (done.code, done.err) == (by_threads.code, ""), logs
    (journal,) = (home / "runs").glob("*.jsonl")
    content = open_journal(journal)
    assert len(content.summary.trials) == len(done.json["trials"]) == trials // tries * tries
    assert journal.read_bytes().count(b'"type":"trial_ended"') == len(content.summary.trials)
    assert any("its worker was lost" in each for each in content.summary.notices)
    assert scores_of(done.json) == scores_of(by_threads.json)
    assert verify(content, list(content.trials)).steps > trials
    assert "token" not in logs


def test_a_killed_worker_costs_no_trial_its_score(tmp_path: Path) -> None:
    script = tmp_path / "script.toml"
    script.write_text(SCRIPT)
    slow = ("--benchmark", "tests.support.many_trials:6", "--model", f"scripted:{script}", "--set", "seconds=0.5")
    check_losses(tmp_path, trials=6, workers=2, losses=[4], played=slow)


@pytest.mark.heavy
def test_of_four_workers_two_are_killed_and_200_trials_score_as_alone(tmp_path: Path) -> None:
    check_losses(tmp_path, trials=200, workers=4, losses=[20, 60])


@pytest.mark.parametrize("told", [{}, None, {"workers": {}}])
def test_a_scheduler_that_goes_away_names_no_workers(told: object) -> None:
    from controlplane.cluster.dask_cluster import DaskCluster

    cluster = object.__new__(DaskCluster)
    client: Any = SimpleNamespace(scheduler_info=lambda n_workers: told)
    cluster._client = client
    assert cluster.workers() == {}


@pytest.mark.heavy
def test_a_killed_scheduler_leaves_a_run_to_be_resumed(tmp_path: Path) -> None:
    with dask_processes(tmp_path, 2) as cluster:
        run = started("run", "--limit", "30", "--workers", f"dask:{cluster.address}", "--quiet", cwd=tmp_path)
        wait_until(lambda: journal_in(tmp_path).count(b'"type":"trial_ended"') >= 2, within_s=START_S)
        os.killpg(cluster.scheduler.pid, signal.SIGKILL)
        out, err = run.communicate(timeout=60)
    check_line(Result(run.returncode, out, err), 3, "the scheduler of the cluster", "was lost", "resume")
    resumed = controlplane("resume", "last", "--workers", "threads", "--json", cwd=tmp_path)
    assert (resumed.json["submitted"], resumed.json["trials_scored"]) == (True, 30), resumed.err


@pytest.mark.heavy
def test_a_cluster_with_certificates_has_an_encrypted_channel(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = f"{openssl} req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=cluster -keyout {key} -out {certificate}"
    subprocess.run(made.split(), check=True, capture_output=True)
    named = {"ca-file": certificate, "cert": certificate, "key": key}
    tls = [word for name, path in named.items() for word in (f"--tls-{name}", str(path))]
    prefix = "DASK_DISTRIBUTED__COMM__TLS__"
    variables = {
        f"{prefix}CA_FILE": str(certificate),
        f"{prefix}CLIENT__CERT": str(certificate),
        f"{prefix}CLIENT__KEY": str(key),
    }
    flags = ("run", "--limit", "4", "--json")
    with dask_processes(tmp_path, 1, tls=tls) as cluster:
        assert cluster.address.startswith("tls://")
        done = controlplane(*flags, "--workers", f"dask:{cluster.address}", cwd=tmp_path, **variables)
        assert (done.code, done.json["trials_scored"]) == (0, 4), done.err
        refused = controlplane(*flags, "--workers", f"dask:{cluster.address}", cwd=tmp_path)
        assert refused.code == 3, refused.err


@pytest.mark.heavy
def test_workers_started_here_play_a_run_and_are_gone_behind_it(tmp_path: Path) -> None:
    done = controlplane("run", "--limit", "4", "--json", "--workers", "dask:local:1", cwd=tmp_path)
    assert (done.code, done.err, done.json["trials_scored"]) == (0, "", 4)


@pytest.mark.parametrize(
    ("workers", "code", "says"),
    [
        ("dask:192.0.2.1:8786", 2, "is reached without TLS"),
        ("dask:local:0", 2, "--workers: trials run on auto, on threads"),
        ("daks:127.0.0.1:8786", 2, "--workers: trials run on auto, on threads"),
    ],
)
def test_workers_that_cannot_be_used_are_refused_in_one_line(
    tmp_path: Path, workers: str, code: int, says: str
) -> None:
    check_line(inside("run", "--workers", workers, "--quiet", cwd=tmp_path), code, says)
    assert not (tmp_path / "runs").exists()
