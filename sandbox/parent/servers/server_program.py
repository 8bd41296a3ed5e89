"""Starts a fork server process: its program, its folders of packages, and its environment.

The process runs `controlplane.sandbox.child.fork_server_process`.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

import controlplane
from controlplane.sandbox.parent.child_process import SandboxBroken
from controlplane.sandbox.parent.servers.fixed_addresses import fixed_addresses


class ServerSetting(NamedTuple):
    """What a fork server process serves."""

    modules: tuple[str, ...]
    """The modules that it imports for its children."""
    with_kernel: bool
    """True if the kernel layer confines its children."""
    for_workers: bool
    """True if its children are workers. The others run scripts."""


def start_process(setting: ServerSetting, descriptor: int) -> subprocess.Popen[bytes]:
    """Start the process with its end of the control socket. Raises `OSError`."""
    program = _PROGRAM.format(  # Python's source code: a few lines that call `main`
        paths=_search_paths(setting.modules),
        descriptor=descriptor,
        with_kernel=setting.with_kernel,
        modules=setting.modules,
        for_workers=setting.for_workers,
    )
    command = [
        sys.executable,
        "-P",  # does not search the working folder for modules
        "-s",  # nor the user's own packages
        "-S",  # nor any installed package; the program adds the folders that are needed
        "-W",
        "ignore",  # prints no warnings
        "-c",
        program,
    ]
    with fixed_addresses():
        return subprocess.Popen(
            command,
            pass_fds=(descriptor,),
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd="/",
            # Ctrl-C at the terminal must not reach it, not even while it starts.
            process_group=0,
        )


# `!r` writes a value as Python source: `['/home/anna/project']`.
_PROGRAM: Final = """
import gc, sys
gc.disable()
sys.path += {paths!r}
# From Python 3.15 on, imports may be lazy. The filter makes all of them at once, because a child
# cannot read files.
if hasattr(sys, "set_lazy_imports_filter"):
    sys.set_lazy_imports_filter(lambda *asked: False)
from controlplane.sandbox.child.fork_server_process import main
main({descriptor}, with_kernel={with_kernel}, modules={modules!r}, for_workers={for_workers})
"""

_ENVIRONMENT: Final = {
    # A replay must give the same output, so settings that vary between machines are fixed.
    "PYTHONHASHSEED": "0",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "PYTHONUTF8": "1",
    # The process looks up the C library's functions when it starts. Otherwise every
    # child would do so again, at the first use of a function.
    "LD_BIND_NOW": "1",
}
"""All environment variables of the process. It does not inherit any of the user's."""


def _search_paths(modules: tuple[str, ...]) -> list[str]:
    """Return the folders in which a server process looks for our packages and for these modules.

    Without modules: `["/x", "/venv/lib/python3.13/site-packages"]`, if `/x/controlplane` is our
    package. Raises `SandboxBroken` if a package is missing.
    """
    # 1. Our own package and RestrictedPython. Of `/x/controlplane/__init__.py`, `parents[1]` is `/x`.
    restricted_python = find_spec("RestrictedPython")
    if restricted_python is None or restricted_python.origin is None:
        msg = "the package RestrictedPython is not installed here"
        raise SandboxBroken(msg)
    folder_of_controlplane = Path(controlplane.__file__).absolute().parents[1]
    folder_of_restricted_python = Path(restricted_python.origin).resolve().parents[1]
    paths = [str(folder_of_controlplane), str(folder_of_restricted_python)]

    # 2. The modules, which may be a user's. They may import anything that this process can import.
    if modules:
        for entry in sys.path:
            paths.append(str(Path(entry).resolve()))
        for module in modules:
            paths.extend(_folders_of_package(module))

    without_repetition = dict.fromkeys(paths)
    return list(without_repetition)


def _folders_of_package(module: str) -> list[str]:
    """Return the folders in which the package of a module is found.

    For example `["/home/anna/project"]` for the module `own.functions`, if the package is
    there as `own/`. Empty if there is no such package.
    """
    package = module.partition(".")[0]
    spec = find_spec(package)
    if spec is None:
        return []

    # A package has one folder or several, such as `/home/anna/project/own`. A module
    # without a package has a file, such as `/home/anna/project/own.py`. The folder in which
    # either is found is the parent: `/home/anna/project`.
    locations = spec.submodule_search_locations
    if not locations:
        locations = [spec.origin or ""]
    return [str(Path(location).parent.resolve()) for location in locations]
