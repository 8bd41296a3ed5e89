"""Namespaces: processes, network, mounts and so on are those of the sandbox alone."""

from __future__ import annotations

import os
from typing import Final

from controlplane.sandbox.child.walls.system_calls import SystemCalls

# Flags of unshare (linux/sched.h)
_CLONE_NEWUSER: Final = 0x1000_0000
_NAMESPACE_FLAGS: Final = {
    "pid": 0x2000_0000,  # CLONE_NEWPID: no other process can be seen
    "ipc": 0x0800_0000,  # CLONE_NEWIPC: no shared memory of other processes
    "network": 0x4000_0000,  # CLONE_NEWNET: no network at all
    "mount": 0x0002_0000,  # CLONE_NEWNS: mounts can be changed for this process alone
    "uts": 0x0400_0000,  # CLONE_NEWUTS: a host name of its own
}


def unshare(calls: SystemCalls) -> dict[str, str]:
    """Enter new namespaces. Returns for each "", or the reason why it cannot be entered.

    The user namespace comes first, because a process that is root in it may enter the
    others. If it cannot be entered, the others are still tried: a process that is root
    of a container may enter them without it.
    """
    user = os.getuid()
    group = os.getgid()
    reason = calls.reason(calls.library.unshare(_CLONE_NEWUSER), "unshare")
    if not reason:
        reason = _become_root_of_namespace(user, group)

    reasons = {"user namespace": reason}
    for name, flag in _NAMESPACE_FLAGS.items():
        result = calls.library.unshare(flag)
        reasons[f"{name} namespace"] = calls.reason(result, "unshare")
    return reasons


def _become_root_of_namespace(user: int, group: int) -> str:
    """Make the user of this process root of its new user namespace.

    In the files of `/proc`, `0 1000 1` says that user 0 (root) of the namespace is user
    1000 outside.
    """
    contents = {
        "setgroups": "deny",  # The kernel demands this before a group is mapped.
        "uid_map": f"0 {user} 1",
        "gid_map": f"0 {group} 1",
    }
    try:
        for name, content in contents.items():
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 - pathlib is slow to import
                file.write(content)
    except OSError as error:
        return str(error)
    return ""
