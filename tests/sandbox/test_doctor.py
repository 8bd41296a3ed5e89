"""`python -m controlplane.sandbox doctor`: which layers of isolation work on this machine, and why.

Three layers isolate scripts: *language* (restricted Python), *process* (limits of the process)
and *kernel* (features of Linux, such as landlock and seccomp, each of which a machine may lack).
"""

import json
import sys

import pytest

from controlplane.sandbox import IsolationReport, Layer
from controlplane.sandbox.doctor import report_lines
from tests.sandbox.sandbox_command import run_sandbox_command

linux_only = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the process layer needs Linux"
)


@linux_only
def test_the_doctor_says_which_layers_work():
    """The layers language and process work on every Linux. The kernel layer has several parts, and
    each that does not work here has a reason and a remedy."""
    report = json.loads(run_sandbox_command("doctor", "--json").stdout)

    assert report["isolation"]["language"] is True
    assert report["isolation"]["process"] is True
    for part in report["kernel"].values():
        if not part["works"]:
            assert part["reason"]
            assert part["how"]


@linux_only
def test_the_doctor_names_every_layer_in_its_text():
    text = run_sandbox_command("doctor").stdout

    for layer in ("language", "process", "kernel"):
        assert layer in text


def test_the_doctor_says_how_to_repair_a_layer_that_does_not_work():
    """Two parts of the kernel layer fail here, as on a machine with other settings."""
    working_layers = frozenset({Layer.LANGUAGE, Layer.PROCESS})
    # The reason why a part does not work; empty if it works.
    kernel_parts = {
        "user namespace": "unshare: EPERM",
        "landlock": "ENOSYS",
        "seccomp": "",
        "no_new_privs": "",
    }

    text = "\n".join(report_lines(IsolationReport(working_layers, kernel_parts)))

    assert "kernel   DOWN" in text
    assert "down: unshare: EPERM" in text
    assert "kernel.unprivileged_userns_clone=1" in text
    assert "lsm=landlock" in text
    assert "need the kernel layer: without it they run only with `--isolation`" in text
