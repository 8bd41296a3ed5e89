"""What tests of tasks in containers share: an image, tasks on it, and runs of them by podman.

The image `BASE_IMAGE` is made of programs of this machine, so that nothing is downloaded. A task in
Harbor's format is a folder with a Dockerfile, an instruction for the agent, and a verifier, a
script that writes the score to a file when the agent has finished.
"""

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from pathlib import Path

from tests.support.command import (
    CommandResult,
    start_controlplane,
    wait_for_exit,
    wait_until,
)

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
TIMEOUT_S = 900
"""Seconds that a command of a test may take: a container starts slowly on a busy machine."""
PROGRAMS = ("bash", "git", "python3")
"""The programs of the image beside those of busybox: ls, cat, grep, ..."""
UNNEEDED_FOLDERS = shutil.ignore_patterns(
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
FULL_REWARD = "echo 1 >/logs/verifier/reward.txt\n"
"""A verifier that gives the score 1."""


def write_task(
    folder: Path, *, toml: str = "", verifier: str = FULL_REWARD, dockerfile: str = ""
) -> Path:
    """Write a task on the base image, and return its folder.

    `toml` is the text of its task.toml; `dockerfile` are further lines of its Dockerfile.
    """
    (folder / "environment").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "task.toml").write_text(toml)
    (folder / "instruction.md").write_text("Do it.\n")
    (folder / "environment/Dockerfile").write_text(f"FROM {BASE_IMAGE}\n{dockerfile}")
    (folder / "tests/test.sh").write_text(verifier)
    return folder


def run_tasks(
    task_folder: Path, model: str, cwd: Path, *arguments: str | Path
) -> CommandResult:
    """Run the tasks of a folder to the end.

    The model "nothing" does nothing, and the model "solution" runs the tasks' own solutions.
    """
    options = ("--benchmark", f"harbor:{task_folder}", "--model", model, "--json")
    process = start_controlplane(
        "run", *options, *arguments, cwd=cwd, **PROCESS_VARIABLES
    )
    return wait_for_exit(process, within_s=TIMEOUT_S)


def resume_last_run(cwd: Path) -> CommandResult:
    """Resume the last run of a folder, and wait for its end."""
    process = start_controlplane(
        "resume", "last", "--json", cwd=cwd, **PROCESS_VARIABLES
    )
    return wait_for_exit(process, within_s=TIMEOUT_S)


def container_states(task_id: str) -> dict[str, str]:
    """Return the state of each container of a task's trials: `{"controlplane-…": "running"}`.

    The containers have the id of their trial, which contains the task's id, as a label.
    """
    command = ["podman", "ps", "--all", "--format", "json"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    states = {}
    for container in json.loads(listing):
        labels = container["Labels"] or {}
        if task_id in labels.get("controlplane.trial", ""):
            states[container["Names"][0]] = container["State"]
    return states


def wait_for_waiting_container(task_id: str) -> str:
    """Wait until a command in a task's container has made /tmp/waiting.

    Returns the name of the container.
    """
    waiting_containers: list[str] = []

    def find_waiting_container() -> bool:
        # Not more often, since each look takes locks that other commands of podman wait for.
        time.sleep(1)
        for name in container_states(task_id):
            command = ["podman", "exec", name, "test", "-e", "/tmp/waiting"]
            result = subprocess.run(command, check=False, capture_output=True)
            if result.returncode == 0:
                waiting_containers.append(name)
        return bool(waiting_containers)

    wait_until(find_waiting_container, within_s=300)
    return waiting_containers[0]


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


def fill_root(root: Path) -> None:
    """Write the files of the image below `root`: folders, two users, busybox and `PROGRAMS`."""
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
        Path("/usr/lib", version), root / "usr/lib" / version, ignore=UNNEEDED_FOLDERS
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
