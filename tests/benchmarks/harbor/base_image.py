"""An image for containers in tests, made of programs of this machine: nothing is downloaded.

`missing_reason()` makes the image, and says why no container can be run here: podman is missing, say.
"""

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from tests.benchmarks.harbor.image_files import PROGRAMS, fill_root

BASE_IMAGE = "localhost/controlplane-test-base:1"
ULIMITS = "--ulimit nofile=1024:1024 --ulimit nproc=1024:1024"
PROCESS_VARIABLES = {
    "CONTAINER_RUN_FLAGS": f"--runtime runc {ULIMITS}",
    "CONTAINER_BUILD_FLAGS": f"--isolation oci --runtime runc {ULIMITS}",
}
"""Variables for processes of the product, which passes these flags on to podman.

With them, podman can start containers although it runs in a container without privileges
itself, as on CI servers.
"""


def missing_reason() -> str:
    """Return why no container can be run here; empty if one can. Makes the base image if need be."""
    if os.geteuid() != 0:
        return "containers of these tests need root"
    for program in ("podman", "runc", "busybox"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    for program in PROGRAMS:
        if not Path("/usr/bin", program).exists():
            return f"/usr/bin/{program} is not installed"
    try:
        make_base_image()
    except subprocess.SubprocessError as error:
        return f"podman cannot import an image: {error}"
    flags = PROCESS_VARIABLES["CONTAINER_RUN_FLAGS"].split()
    command = ["podman", "run", "--rm", "--pull=never", *flags]
    command += ["--network", "none", BASE_IMAGE, "true"]
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False
    )
    if result.returncode != 0:
        return f"podman cannot run a container: {result.stderr.strip()[-300:]}"
    return ""


def make_base_image() -> None:
    """Import the image into podman unless it is there. Raises `subprocess.SubprocessError`."""
    result = subprocess.run(
        ["podman", "image", "exists", BASE_IMAGE], timeout=60, check=False
    )
    if result.returncode == 0:
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "root")
        fill_root(root)
        archive = Path(folder, "root.tar")
        with tarfile.open(archive, "w") as tar:
            tar.add(root, arcname=".")
        command = ["podman", "import", str(archive), BASE_IMAGE]
        subprocess.run(command, capture_output=True, timeout=120, check=True)
