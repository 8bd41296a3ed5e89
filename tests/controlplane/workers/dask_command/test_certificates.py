"""A Dask cluster with certificates takes only runs that have one.

Dask spreads work over many machines: `controlplane run --workers dask:ADDRESS`. Whoever can talk to
a cluster can run code on it, so that one on several machines must have certificates (TLS).
"""

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from controlplane.errors import Unreachable
from tests.support.clusters.dask_processes import dask_processes
from tests.support.command import run_python

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

pytestmark = pytest.mark.second_tier


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


@pytest.mark.heavy
def test_a_cluster_with_certificates_takes_only_runs_that_have_one(
    tmp_path: Path, key_and_certificate: tuple[Path, Path]
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
        run = ("run", "--limit", "4", "--json", "--workers", f"dask:{cluster.address}")
        # Dask reads its variables when it is imported, so the run is a new Python process.
        python_run = ("-m", "controlplane", *run)
        accepted = run_python(*python_run, cwd=tmp_path, **variables)
        refused = run_python(*python_run, cwd=tmp_path)

    assert cluster.address.startswith("tls://")
    assert accepted.code == 0, accepted.err
    assert accepted.json["trials_scored"] == 4
    assert refused.code == Unreachable.exit_code, refused.err
