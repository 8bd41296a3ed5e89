"""The two walls of the kernel layer around files: an empty root directory, and Landlock.

Each function returns "" if its wall stands, else the reason why not.
"""

from __future__ import annotations

import os
import struct
from typing import Final

from controlplane.sandbox.child.walls.machines import Machine
from controlplane.sandbox.child.walls.system_calls import CallFailed, SystemCalls

# The empty root

# Flags of mount (linux/mount.h) and umount2 (sys/mount.h)
_MS_RDONLY: Final = 1
_MS_NOSUID: Final = 2
_MS_NODEV: Final = 4
_MS_NOEXEC: Final = 8
_MS_REMOUNT: Final = 32
_MS_REC: Final = 1 << 14
_MS_PRIVATE: Final = 1 << 18
# No set-user-id programs, no devices, nothing executable
_HARDENED: Final = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
_MNT_DETACH: Final = 2


def empty_root(calls: SystemCalls, machine: Machine) -> str:
    """Replace the file system by an empty, read-only directory. Needs a new mount namespace."""
    try:
        _mount_empty_root(calls, machine)
    except CallFailed as failure:
        return str(failure)
    os.chdir("/")
    return ""


def _mount_empty_root(calls: SystemCalls, machine: Machine) -> None:
    """Mount an empty file system as the root. Raises `CallFailed`."""
    library = calls.library
    # 1. From here on, changes of mounts stay in this namespace.
    result = library.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None)
    calls.require(result, "mount")

    # 2. Mount an empty file system in memory.
    options = b"size=4k,mode=555"
    result = library.mount(b"tmpfs", b"/tmp", b"tmpfs", _HARDENED, options)
    calls.require(result, "mount")

    # 3. Make it the root. `pivot_root(new_root, put_old)` mounts the old root at `put_old`.
    # If both are the same directory, the old root lies on top of the new one
    # (pivot_root(2)), so that unmounting the directory removes the old root.
    calls.require(library.chdir(b"/tmp"), "chdir")
    calls.require(calls.by_number(machine.pivot_root, b".", b"."), "pivot_root")
    calls.require(library.umount2(b".", _MNT_DETACH), "umount")

    # 4. Make it read-only.
    flags = _MS_REMOUNT | _MS_RDONLY | _HARDENED
    calls.require(library.mount(None, b"/", None, flags, None), "mount")


# Landlock: numbers of system calls, and what rules can forbid (linux/landlock.h)

_LANDLOCK_CREATE_RULESET: Final = 444
_LANDLOCK_RESTRICT_SELF: Final = 446
_ONLY_RETURN_VERSION: Final = 1
"""LANDLOCK_CREATE_RULESET_VERSION, a flag: `_LANDLOCK_CREATE_RULESET`
only returns which version of Landlock the kernel has."""
_FILE_RIGHTS_BY_VERSION: Final = {1: 13, 2: 14, 3: 15, 4: 15}
_FILE_RIGHTS_OF_LATER_VERSIONS: Final = 16
"""How many kinds of access to files a version of Landlock can forbid, such as reading and writing.
Each kind is a bit: version 1 has the bits 0 to 12, version 2 the bits 0 to 13."""
_FIRST_VERSION_WITH_NETWORK: Final = 4
_NETWORK_RIGHTS: Final = 0b11  # binding and connecting
_FIRST_VERSION_WITH_SCOPES: Final = 6
_SCOPES: Final = 0b11  # abstract sockets of other processes, and signals to them


def landlock(calls: SystemCalls) -> str:
    """Forbid this process every access to files, and connections and signals if this kernel can.

    Returns "" if that works, and otherwise why not: a kernel may not have Landlock.
    """
    version = calls.by_number(_LANDLOCK_CREATE_RULESET, None, 0, _ONLY_RETURN_VERSION)
    if version < 1:  # This kernel has no landlock.
        return calls.reason(version, "landlock")

    attributes = _rule_set_attributes(version)
    rule_set = calls.by_number(_LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)
    if rule_set < 0:
        return calls.reason(rule_set, "landlock")
    result = calls.by_number(_LANDLOCK_RESTRICT_SELF, rule_set, 0)
    reason = calls.reason(result, "landlock")
    os.close(rule_set)
    return reason


def _rule_set_attributes(version: int) -> bytes:
    """Return the fields of `struct landlock_ruleset_attr` for a rule set that allows nothing.

    A rule set forbids the kinds of access that it "handles", except where one of its
    rules allows them. This one has no rules, so it forbids all that it handles. A kernel
    refuses fields that it does not know, so they depend on its version.
    """
    count = _FILE_RIGHTS_BY_VERSION.get(version, _FILE_RIGHTS_OF_LATER_VERSIONS)
    all_file_rights = (1 << count) - 1  # as many bits
    handled = struct.pack("=Q", all_file_rights)  # handled_access_fs
    if version >= _FIRST_VERSION_WITH_NETWORK:
        handled += struct.pack("=Q", _NETWORK_RIGHTS)  # handled_access_net
    if version >= _FIRST_VERSION_WITH_SCOPES:
        handled += struct.pack("=Q", _SCOPES)  # scoped
    return handled
