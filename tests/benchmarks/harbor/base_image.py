"""An image for containers in tests, made of programs of this machine: nothing is downloaded.

`missing_reason()` makes the image, and says why no container can be run here: podman is missing, say.
"""

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

# The files of the base image for containers in tests: programs of this machine, and what they need.
#
#     fill_root(Path("/tmp/root"))  # writes bin/busybox, usr/bin/python3, etc/passwd and others below it
#
# Nothing is downloaded. Python comes with its library, and each program with its shared libraries.

PROGRAMS = ("bash", "git", "python3")
"""The programs of the image beside those of busybox: ls, cat, grep, ..."""

FOLDERS_NO_TASK_NEEDS = (
    "config-* test __pycache__ ensurepip lib2to3 pydoc_data dist-packages idlelib"
)
"""Folders of Python's library."""


def fill_root(root: Path) -> None:
    """Write the files of the image below `root`: folders, two users, busybox and `PROGRAMS`."""
    for name in ("bin", "usr/bin", "etc", "root", "proc", "sys", "dev"):
        (root / name).mkdir(parents=True)
    (root / "tmp").mkdir(mode=0o1777)
    (root / "etc/passwd").write_text(
        "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n"
    )
    (root / "etc/group").write_text("root:x:0:\nuser:x:1000:\n")

    add_busybox(root)
    for program in PROGRAMS:
        source = Path("/usr/bin", program).resolve()
        shutil.copy(source, root / "usr/bin" / program)
        copy_libraries(source, root)
    (root / "bin/bash").symlink_to("/usr/bin/bash")
    add_library_of_python(root)


def add_busybox(root: Path) -> None:
    """Add busybox, one program that is many commands: each of them is a link to it."""
    busybox = Path(shutil.which("busybox") or "busybox")
    shutil.copy(busybox, root / "bin/busybox")
    listing = subprocess.run(
        [busybox, "--list"], capture_output=True, text=True, check=True
    )
    for command in listing.stdout.split():
        link = root / "bin" / command
        if not link.exists():
            link.symlink_to("busybox")


def add_library_of_python(root: Path) -> None:
    """Add the modules of the machine's Python: `/usr/lib/python3.11`, say."""
    version = Path("/usr/bin/python3").resolve().name
    library = Path("/usr/lib", version)
    left_out = shutil.ignore_patterns(*FOLDERS_NO_TASK_NEEDS.split())
    shutil.copytree(library, root / "usr/lib" / version, ignore=left_out)


def copy_libraries(program: Path, root: Path) -> None:
    """Copy the shared libraries of a program to the same places below `root`."""
    listing = subprocess.run(
        ["ldd", program], capture_output=True, text=True, check=True
    )
    for word in listing.stdout.split():
        if not word.startswith("/"):
            continue
        target = root / word.removeprefix("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(word).resolve(), target)


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
