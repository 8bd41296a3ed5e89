"""Runs on a Dask cluster that the user has started: `controlplane run --workers dask:ADDRESS`.

Dask spreads work over many machines: a *scheduler*, whose address the run gets, hands the trials
of the run to *workers*. Whoever can talk to a scheduler can run code on its workers, so that a
cluster on several machines must have certificates (TLS).
"""

import os
import shutil
import signal
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from controlplane.errors import Unreachable, UsageError
from tests.support.command import (
    check_error_line,
    run_controlplane,
    run_in_process,
    run_python,
    start_controlplane,
    wait_for_exit,
    wait_until,
)
from tests.support.dask_processes import dask_processes

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)


pytestmark = pytest.mark.second_tier

START_S = 120
"""How long three processes may take to import all that a run needs, on a busy machine."""


def count_ended_trials(folder: Path) -> int:
    """Return how many trials have ended by the journal of the run in a folder."""
    ended_trials = 0
    for journal in (folder / "runs").glob("*.jsonl"):
        ended_trials += journal.read_bytes().count(b'"type":"trial_ended"')
    return ended_trials


@pytest.fixture
def key_and_certificate(tmp_path: Path) -> tuple[Path, Path]:
    """The files of a key and of a certificate for it, which a cluster and its runs may share."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    key = tmp_path / "key.pem"
    certificate = tmp_path / "certificate.pem"
    command = (
        f"{openssl} req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=cluster "
        f"-keyout {key} -out {certificate}"
    )
    subprocess.run(command.split(), check=True, capture_output=True)
    return key, certificate


OK = 0


class TestClusters:
    """A cluster plays the trials of a run, and its scheduler is killed.

    `dask_processes` starts a scheduler and its workers, each as a process of its own.
    """

    @pytest.mark.heavy
    def test_a_run_whose_scheduler_is_killed_can_be_resumed(
        self, tmp_path: Path
    ) -> None:
        """The scheduler is killed when two of 30 trials have ended. The run is resumed on
        threads."""
        trials = 30
        with dask_processes(tmp_path, workers=2) as cluster:
            run = start_controlplane(
                "run",
                "--limit",
                str(trials),
                "--workers",
                f"dask:{cluster.address}",
                "--quiet",
                cwd=tmp_path,
            )
            wait_until(lambda: count_ended_trials(tmp_path) >= 2, within_s=START_S)
            os.killpg(cluster.scheduler.pid, signal.SIGKILL)
            stopped = wait_for_exit(run)
        resumed = run_controlplane(
            "resume", "last", "--workers", "threads", "--json", cwd=tmp_path
        )

        check_error_line(
            stopped,
            Unreachable.exit_code,
            "the scheduler of the cluster",
            "was lost",
            "resume",
        )
        assert resumed.json["submitted"] is True, resumed.err
        assert resumed.json["trials_scored"] == trials


class TestCertificates:
    """A cluster has a certificate, which a run needs, too.

    The same certificate is that of the cluster and of its runs, as one user has made it.
    """

    @pytest.mark.heavy
    def test_a_cluster_with_certificates_takes_only_runs_that_have_one(
        self, tmp_path: Path, key_and_certificate: tuple[Path, Path]
    ) -> None:
        """A run with the certificate plays on the cluster, and a run without one is refused."""
        key, certificate = map(str, key_and_certificate)
        # Dask's processes get the certificate by options, and the run by Dask's own variables.
        options = (
            "--tls-ca-file",
            certificate,
            "--tls-cert",
            certificate,
            "--tls-key",
            key,
        )
        variables = {
            "DASK_DISTRIBUTED__COMM__TLS__CA_FILE": certificate,
            "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT": certificate,
            "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY": key,
        }

        with dask_processes(tmp_path, workers=1, tls=options) as cluster:
            run = (
                "run",
                "--limit",
                "4",
                "--json",
                "--workers",
                f"dask:{cluster.address}",
            )
            # Dask reads its variables when it is imported, so the run is a new Python process.
            python_run = ("-m", "controlplane", *run)
            accepted = run_python(*python_run, cwd=tmp_path, **variables)
            refused = run_python(*python_run, cwd=tmp_path)

        assert cluster.address.startswith("tls://")
        assert accepted.code == OK, accepted.err
        assert accepted.json["trials_scored"] == 4
        assert refused.code == Unreachable.exit_code, refused.err


class TestUnusableWorkers:
    """The option `--workers` names no workers, or some that would be unsafe.

    Without certificates (TLS), scripts and keys would travel unencrypted to another machine.
    """

    @pytest.mark.parametrize(
        ("workers", "error"),
        [
            pytest.param(
                "dask:192.0.2.1:8786",
                "has no TLS",
                id="another machine without encryption",
            ),
            pytest.param(
                "dask:local:0",
                "--workers: trials run on threads, on dask:local:N",
                id="no workers",
            ),
            pytest.param(
                "daks:127.0.0.1:8786",
                "--workers: trials run on threads, on dask:local:N",
                id="misspelt",
            ),
        ],
    )
    def test_workers_that_cannot_be_used_are_refused_in_one_line(
        self, tmp_path: Path, workers: str, error: str
    ) -> None:
        """The command is refused before anything is recorded."""
        result = run_in_process("run", "--workers", workers, "--quiet", cwd=tmp_path)

        check_error_line(result, UsageError.exit_code, error)
        assert not (tmp_path / "runs").exists()
