"""A base image for containers of tests, made of programs
of this machine: busybox, bash, git, Python."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from tests.support.command import CommandResult, start_controlplane, wait_for_exit

BASE_IMAGE = "localhost/controlplane-test-base:1"
ULIMITS = "--ulimit nofile=1024:1024 --ulimit nproc=1024:1024"
PROCESS_VARIABLES = {
    "CONTAINER_RUN_FLAGS": f"--runtime runc {ULIMITS}",
    "CONTAINER_BUILD_FLAGS": f"--isolation oci --runtime runc {ULIMITS}",
}
"""Flags with which containers start in a container without privileges, such as that of a CI."""
PROGRAMS = ("bash", "git", "python3")
LEFT_OUT = shutil.ignore_patterns(
    "config-*",
    "test",
    "__pycache__",
    "ensurepip",
    "lib2to3",
    "pydoc_data",
    "dist-packages",
    "idlelib",
)
"""Folders of Python's library that no task needs."""


TIMEOUT_S = 900
"""Seconds that a command of a test may take: a container starts slowly on a busy machine."""


def played(
    task_folder: Path, model: str, cwd: Path, *arguments: str | Path
) -> CommandResult:
    """Play the tasks of a folder, and return what came of the command."""
    words = (
        "--benchmark",
        f"harbor:{task_folder}",
        "--model",
        model,
        "--json",
        *arguments,
    )
    return wait_for_exit(
        start_controlplane("run", *words, cwd=cwd, **PROCESS_VARIABLES),
        within_s=TIMEOUT_S,
    )


def resumed(cwd: Path) -> CommandResult:
    """Resume the last run of a folder, and return what came of the command."""
    return wait_for_exit(
        start_controlplane("resume", "last", "--json", cwd=cwd, **PROCESS_VARIABLES),
        within_s=TIMEOUT_S,
    )


def missing_reason() -> str:
    """Return why no container can be run here; empty if one can."""
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
    command = [
        "podman",
        "run",
        "--rm",
        "--pull=never",
        *PROCESS_VARIABLES["CONTAINER_RUN_FLAGS"].split(),
    ]
    command += ["--network", "none", BASE_IMAGE, "true"]
    tried = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False
    )
    if tried.returncode != 0:
        return f"podman cannot run a container: {tried.stderr.strip()[-300:]}"
    return ""


def make_base_image() -> None:
    """Import the image unless it is there. Raises `subprocess.SubprocessError`."""
    there = subprocess.run(
        ["podman", "image", "exists", BASE_IMAGE], timeout=60, check=False
    )
    if there.returncode == 0:
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "root")
        fill_root(root)
        archive = Path(folder, "root.tar")
        with tarfile.open(archive, "w") as tar:
            tar.add(root, arcname=".")
        command = ["podman", "import", str(archive), BASE_IMAGE]
        subprocess.run(command, capture_output=True, timeout=120, check=True)


def fill_root(root: Path) -> None:
    """Write the files of the image below `root`."""
    for name in ("bin", "usr/bin", "etc", "root", "proc", "sys", "dev"):
        (root / name).mkdir(parents=True)
    (root / "tmp").mkdir(mode=0o1777)
    (root / "etc/passwd").write_text(
        "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n"
    )
    (root / "etc/group").write_text("root:x:0:\nuser:x:1000:\n")

    busybox = Path(shutil.which("busybox") or "busybox")
    shutil.copy(busybox, root / "bin/busybox")
    listing = subprocess.run(
        [busybox, "--list"], capture_output=True, text=True, check=True
    )
    for applet in listing.stdout.split():
        link = root / "bin" / applet
        if not link.exists():
            link.symlink_to("busybox")

    for program in PROGRAMS:
        source = Path("/usr/bin", program).resolve()
        shutil.copy(source, root / "usr/bin" / program)
        copy_libraries(source, root)
    version = Path("/usr/bin/python3").resolve().name
    shutil.copytree(
        Path("/usr/lib", version), root / "usr/lib" / version, ignore=LEFT_OUT
    )
    (root / "bin/bash").symlink_to("/usr/bin/bash")


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
