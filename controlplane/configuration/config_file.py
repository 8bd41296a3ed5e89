"""Finds and reads controlplane.toml, and decides which of its settings are safe.

    [run]
    concurrency = 4

The file in a working folder may come from a stranger, for example with a cloned
repository. Until the user trusts its content, only those settings have an effect that
cannot run programs, send data or spend money.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controlplane.configuration.config_trust import (
    CONFIG_VARIABLE,
    config_bytes,
    is_trusted,
)
from controlplane.configuration.model_settings import Profile, Use
from controlplane.configuration.run_settings import (
    Role,
    RunSettings,
    first_fault,
    settings_with,
)
from controlplane.errors import UsageError
from controlplane.journal.journal_files import CONFIG_FILE
from controlplane.sandbox.interface.foreign_documents import Unreadable, parse_toml


class ConfigFile(BaseModel):
    """The content of controlplane.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: dict[str, Any] = Field(default_factory=dict)
    """The settings of runs, by name."""
    profiles: dict[str, Profile] = Field(default_factory=dict)
    """Models with their settings, by a name that `--model` and `--role` may use."""
    roles: dict[Role, str] = Field(default_factory=dict)
    """The names of the profiles of roles: `{"review": "fast"}`."""
    mcp: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """How to start or reach each MCP server, by its name."""


def config_path(folder: Path) -> Path:
    """Return the path of the configuration file: the user's choice, or the one in `folder`."""
    named = os.environ.get(CONFIG_VARIABLE)
    if named:
        return Path(named)
    return folder / CONFIG_FILE


def read_config(path: Path) -> ConfigFile:
    """Return the settings of the file at `path`; none if the file is missing.

    If the user has not trusted the file, its unsafe settings are dropped, and a message
    names them. Raises `UsageError`.
    """
    try:
        content = config_bytes(path)
    except FileNotFoundError:
        return ConfigFile()
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise UsageError(msg) from error

    config = _parsed(path, content)
    if is_trusted(path, content):
        return config
    return _without_untrusted(path, config)


def _parsed(path: Path, content: bytes) -> ConfigFile:
    """Return the checked content of a file. Raises `UsageError` with the line or key of a fault."""
    try:
        return ConfigFile.model_validate(parse_toml(content.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        msg = f"{path}, line {line}: it is not UTF-8 text"
        raise UsageError(msg) from error
    except Unreadable as error:
        msg = f"{path} is not TOML: {error}"
        raise UsageError(msg) from error
    except ValidationError as error:
        keys, text = first_fault(error)
        msg = f"{path}: {'.'.join(keys)}: {text}"
        raise UsageError(msg) from error


def _without_untrusted(path: Path, config: ConfigFile) -> ConfigFile:
    """Return the safe settings of an untrusted configuration, and print the names of the others.

    A downloaded folder may contain a configuration that sends data to another endpoint, or runs code.
    """
    allowed: dict[str, Any] = {}
    ignored = []
    for name, value in config.run.items():
        if _may_be_set_untrusted(name, value):
            allowed[name] = value
        else:
            ignored.append(f"run.{name}")
    ignored += [f"profiles.{name}" for name in config.profiles]
    ignored += [f"roles.{name}" for name in config.roles]
    ignored += [f"mcp.{name}" for name in config.mcp]

    if ignored:
        print_once(
            f"{path} does not set {', '.join(ignored)}: "
            "read the file, and the modules beside it that it names, and, if you trust them: "
            "controlplane trust"
        )
    return ConfigFile(run=allowed)


def _may_be_set_untrusted(name: str, value: object) -> bool:
    """Return True if an untrusted configuration may set this value."""
    if name not in RunSettings.model_fields:
        return True  # An unknown name is refused later, with a better message.
    if name == "runs_dir":  # Files are written there.
        return isinstance(value, str) and _lies_below_working_folder(value)
    return name in settings_with(Use.UNTRUSTED)


def _lies_below_working_folder(path: str) -> bool:
    """Return True for `runs` and `a/runs`, but not for `/tmp`, `~/runs` and `../runs`."""
    is_absolute = path.startswith(("/", "~"))
    return not is_absolute and ".." not in Path(path).parts


@functools.cache
def print_once(line: str) -> None:
    """Print a line on standard error, if this process has not printed it before.

    The cache remembers the lines. While a shell asks for completions, print nothing.
    """
    if "_CONTROLPLANE_COMPLETE" not in os.environ:
        from controlplane.terminal_text import say

        say(line, err=True)
