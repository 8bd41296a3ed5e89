"""Finds and reads controlplane.toml, and decides which of its settings are safe.

    [run]
    concurrency = 4

The file in a working folder may come from a stranger, for example with a cloned
repository. Until the user trusts its content, only those settings have an effect that
cannot run programs, send data or spend money.
"""

from __future__ import annotations

import errno
import functools
import hashlib
import itertools
import os
from pathlib import Path
from typing import Any, Final

import re2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controlplane.configuration.model_settings import Profile, Use
from controlplane.configuration.run_settings import (
    Role,
    RunSettings,
    first_fault,
    settings_with,
)
from controlplane.errors import UsageError
from controlplane.journal.journal_files import CONFIG_FILE
from controlplane.journal.state_files import open_regular, private_bytes, state_path
from controlplane.sandbox.interface import bounds
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


# Remembers which configuration files the user trusts, by `controlplane trust`.
#
# Trust covers the path of a file, its content, and the code beside it that it may run. If
# one of them changes, for example by `git pull`, the user is asked again.

CONFIG_VARIABLE: Final = "CONTROLPLANE_CONFIG"
"""The variable that names a configuration file to use instead of the
working folder's. The user has chosen that file, so it is trusted."""
_TRUSTED_FILES: Final = "controlplane/trusted-files"
"""The file in the user's state folder with the hashes of trusted configurations."""
_MAX_TRUSTED_FILES_BYTES: Final = 1 << 20
_MAX_PACKAGE_FILES: Final = 2_000
"""The most files that a package may have if a configuration names it. All are hashed."""
_WORD: Final = re2.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
"""Matches a word that may name a module, such as `solver` in `command:python solver.py`."""


def config_bytes(path: Path) -> bytes:
    """Return the content of a file. Raises `OSError` if it is too large or not a regular file."""
    with open_regular(path) as file:
        content = file.read(bounds.MOST_TEXT_BYTES + 1)
    if len(content) > bounds.MOST_TEXT_BYTES:
        raise OSError(
            errno.EFBIG, f"it is larger than {bounds.MOST_TEXT_BYTES:,} bytes"
        )
    return content


def is_trusted(path: Path, content: bytes) -> bool:
    """Return True if the user trusts a configuration.

    That is so if the environment variable names it, if it is in the home folder, or if
    the user has trusted a file with this path and content.
    """
    if _is_chosen_by_user(path):
        return True
    trusted_hashes = private_bytes(_TRUSTED_FILES, _MAX_TRUSTED_FILES_BYTES).split()
    if not trusted_hashes:
        return False
    try:
        return _content_hash(path, content) in trusted_hashes
    except OSError:
        # A module that the configuration names cannot be read, so its code is unknown.
        return False


def _is_chosen_by_user(path: Path) -> bool:
    """Return True if the environment variable names the file, or it is in the home folder."""
    try:
        place = _absolute_path(path)
        named = os.environ.get(CONFIG_VARIABLE)
        if named and place == _absolute_path(Path(named)):
            return True
        return place.parent == Path.home().resolve()
    except (OSError, RuntimeError):  # There may be no home folder.
        return False


def trust(path: Path, content: bytes) -> None:
    """Record that the user trusts this content of the file at `path`.

    Raises `OSError` if the state folder cannot be written.
    """
    hashes = state_path(_TRUSTED_FILES, makes=True)
    with open_regular(hashes, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as file:
        file.write(_content_hash(path, content) + b"\n")


def _content_hash(path: Path, content: bytes) -> bytes:
    """Return a hash of a file's path, its content, and the code in its folder that it may run.

    If one of them changes, the hash does, and the user is asked again. Raises `OSError` for code that
    cannot be read.
    """
    digest = hashlib.sha256(os.fsencode(_absolute_path(path)) + b"\0" + content)
    for module_file, code in _modules_beside(_absolute_path(path).parent, content):
        digest.update(b"\0" + os.fsencode(module_file) + b"\0" + code)
    return digest.hexdigest().encode()


def _modules_beside(folder: Path, content: bytes) -> list[tuple[Path, bytes]]:
    """Return the files in `folder` whose code a configuration may run, with their content.

    These are the modules and packages whose names are words of `content`, those whose
    names are words of these modules, and so on. Any word counts, even in a comment. So
    all forms of imports are covered, and programs such as `command:python solver.py`.

    Raises `OSError` for a file that cannot be read or is too large.
    """
    files_by_module = _modules_of(folder)
    covered: list[tuple[Path, bytes]] = []
    unread_texts = [content]
    while unread_texts:
        text = unread_texts.pop()
        for word in _WORD.findall(text):
            # A module that is found leaves the mapping, so that each one is read only once.
            for module_file in files_by_module.pop(word, []):
                code = config_bytes(module_file)
                covered.append((module_file, code))
                unread_texts.append(code)
    return sorted(covered)


def _modules_of(folder: Path) -> dict[bytes, list[Path]]:
    """Return the files of each module and package in a folder, by its name. Raises `OSError`.

    `solver.py` and `tools/__init__.py` -> `{b"solver": [solver.py], b"tools": [tools/__init__.py]}`.
    """
    modules: dict[bytes, list[Path]] = {}
    for path in folder.iterdir():
        name = os.fsencode(path.stem)
        if path.suffix == ".py":
            modules.setdefault(name, []).append(path)
        elif (path / "__init__.py").is_file():
            files = list(itertools.islice(path.rglob("*.py"), _MAX_PACKAGE_FILES + 1))
            if len(files) > _MAX_PACKAGE_FILES:
                msg = f"{path} has more than {_MAX_PACKAGE_FILES:,} modules"
                raise OSError(errno.EFBIG, msg)
            modules.setdefault(name, []).extend(files)
    return modules


def _absolute_path(path: Path) -> Path:
    """Return the absolute path of a file, without following the file itself if it is a link.

    A configuration that is a link uses the modules beside the link, not those beside the
    link's target.
    """
    return path.parent.resolve() / path.name
