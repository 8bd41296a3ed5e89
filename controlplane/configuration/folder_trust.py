"""Trust of a configuration that lies in a folder: until the user trusts its content, it sets only what cannot run, send
or spend. Trusted contents are kept by hash in the user's state folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from controlplane.journal.journal_file import open_regular, open_to_append

CONFIG_VARIABLE: Final = "CONTROLPLANE_CONFIG"
"""Names the configuration file to use instead of the working folder's; what the user names is trusted."""
HARMLESS: Final = frozenset(
    {
        *("limit", "repeats", "seed", "max_steps", "concurrency", "name", "on_interrupt", "fallback", "opening_chars"),
        *("trial_time", "step_time", "run_time", "run_cost", "trial_cost", "max_tokens_run", "poll_time"),
        *("model_timeout", "model_patience", "model_retries", "max_output_tokens", "max_context_tokens"),
        *("temperature", "top_p", "sampling_seed", "reasoning_effort", "reply_mode"),
    }
)
"""Settings of `[run]` that start no program, import no module, and name no address, key, price, wall or place to write;
`runs_dir` is one if it lies below the folder."""
_FILE: Final = "trusted-files"
_MOST_BYTES: Final = 1 << 20


def _trusted_path() -> Path:
    from controlplane.journal.journal_lines import key_path

    return key_path().with_name(_FILE)


def _line_of(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def is_trusted(path: Path, content: bytes) -> bool:
    """Say whether the user trusts a configuration: by its content, by naming it, or because it is his home folder's."""
    named = os.environ.get(CONFIG_VARIABLE)
    with contextlib.suppress(OSError, RuntimeError):  # there is no home folder
        if (named and path.samefile(named)) or path.resolve().parent == Path.home().resolve():
            return True
    with contextlib.suppress(OSError), open_regular(_trusted_path()) as file:
        held = os.fstat(file.fileno())
        is_private = held.st_uid == os.getuid() and not held.st_mode & 0o022
        return is_private and _line_of(content) in file.read(_MOST_BYTES).split()
    return False


def trust(content: bytes) -> None:
    """Trust this content from now on. Raises `OSError` if the state folder cannot be written."""
    path = _trusted_path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with open_to_append(path) as file:
        file.write(_line_of(content) + b"\n")


def harmless_part(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of `[run]` that apply without trust."""
    return {name: value for name, value in run.items() if name in HARMLESS or (name == "runs_dir" and _is_below(value))}


def _is_below(folder: object) -> bool:
    return isinstance(folder, str) and not folder.startswith(("/", "~")) and ".." not in Path(folder).parts
