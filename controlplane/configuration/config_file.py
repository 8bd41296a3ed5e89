"""Finds and reads controlplane.toml, and decides which of its settings are safe.

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
import tomllib
from pathlib import Path
from typing import Any, Final

import re2
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from controlplane.configuration.run_settings import (
    Profile,
    Role,
    RunSettings,
    Use,
    first_fault,
    settings_with,
)
from controlplane.errors import UsageError
from controlplane.journal.journal_files import (
    CONFIG_FILE,
    RUNS_DIR,
    journal_id,
    journals_folder,
    open_regular,
    private_bytes,
    state_path,
    with_home,
)
from controlplane.sandbox.interface import bounds

CONFIG_VARIABLE: Final = "CONTROLPLANE_CONFIG"
"""The variable that names a configuration file to use instead of the working folder's.
The user has chosen that file, so it is trusted."""
TRUSTED_FILES: Final = "controlplane/trusted-files"
"""The file in the user's state folder with the hashes of trusted configurations."""
MAX_TRUSTED_FILES_BYTES: Final = 1 << 20
MAX_PACKAGE_FILES: Final = 2_000
"""The most files of one package that a configuration names. Trust covers all of
them."""
_WORD: Final = re2.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
"""Matches a word that may name a module, such as `solver` in `command:python
solver.py`."""


class ConfigFile(BaseModel):
    """The content of controlplane.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: dict[str, Any] = Field(default_factory=dict)
    profiles: dict[str, Profile] = Field(default_factory=dict)
    roles: dict[Role, str] = Field(default_factory=dict)
    mcp: dict[str, dict[str, Any]] = Field(default_factory=dict)


def config_path(folder: Path) -> Path:
    """Return the path of the configuration file: the one that the user names, or that
    in `folder`."""
    named = os.environ.get(CONFIG_VARIABLE)
    if named:
        return Path(named)
    return folder / CONFIG_FILE


def read_config(path: Path) -> ConfigFile:
    """Return the settings of the file at `path` that may have an effect; none if it is
    missing.

    If the user does not trust the file, its unsafe settings are dropped, and a message
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


def config_bytes(path: Path) -> bytes:
    """Return the content of a file. Raises `OSError` if it is too large or not a
    regular file."""
    with open_regular(path) as file:
        content = file.read(bounds.MOST_TEXT_BYTES + 1)
    if len(content) > bounds.MOST_TEXT_BYTES:
        raise OSError(
            errno.EFBIG, f"it is larger than {bounds.MOST_TEXT_BYTES:,} bytes"
        )
    return content


def _parsed(path: Path, content: bytes) -> ConfigFile:
    """Return the checked content of a file. Raises `UsageError` with the line or key of
    a fault."""
    try:
        return ConfigFile.model_validate(tomllib.loads(content.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        msg = f"{path}, line {line}: it is not UTF-8 text"
        raise UsageError(msg) from error
    except tomllib.TOMLDecodeError as error:
        msg = f"{path} is not TOML: {error}"
        raise UsageError(msg) from error
    except ValidationError as error:
        keys, text = first_fault(error)
        msg = f"{path}: {'.'.join(keys)}: {text}"
        raise UsageError(msg) from error


# Trust


def is_trusted(path: Path, content: bytes) -> bool:
    """Return True if the user trusts a configuration.

    That is so if the environment variable names it, if it is in the home folder, or if
    the user has trusted a file with this path and content.
    """
    try:
        place = _absolute_path(path)
        named = os.environ.get(CONFIG_VARIABLE)
        if named and place == _absolute_path(Path(named)):
            return True
        if place.parent == Path.home().resolve():
            return True
    except (OSError, RuntimeError):  # There may be no home folder.
        pass

    trusted_hashes = private_bytes(TRUSTED_FILES, MAX_TRUSTED_FILES_BYTES).split()
    if not trusted_hashes:
        return False
    try:
        return _content_hash(path, content) in trusted_hashes
    except (
        OSError
    ):  # A module that it names cannot be read, so nobody knows what it would do.
        return False


def trust(path: Path, content: bytes) -> None:
    """Record that the user trusts this content of the file at `path`.

    Raises `OSError` if the state folder cannot be written.
    """
    hashes = state_path(TRUSTED_FILES, makes=True)
    with open_regular(hashes, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as file:
        file.write(_content_hash(path, content) + b"\n")


def _content_hash(path: Path, content: bytes) -> bytes:
    """Return a hash of a file's path, its content, and the code in its folder that it
    may run."""
    digest = hashlib.sha256(os.fsencode(_absolute_path(path)) + b"\0" + content)
    for module_file, code in _modules_beside(_absolute_path(path).parent, content):
        digest.update(b"\0" + os.fsencode(module_file) + b"\0" + code)
    return digest.hexdigest().encode()


def _modules_beside(folder: Path, content: bytes) -> list[tuple[Path, bytes]]:
    """Return the files in `folder` whose code a configuration may run, with their
    content.

    These are the modules and packages whose names are words of `content`, those whose
    names are words of these modules, and so on. Words in comments count, too. So all
    forms of imports are covered, and programs such as `command:python solver.py`.

    Raises `OSError` for a file that cannot be read or is too large.
    """
    files_by_module = _modules_of(folder)
    covered: list[tuple[Path, bytes]] = []
    unread_texts = [content]
    while unread_texts:
        text = unread_texts.pop()
        for word in _WORD.findall(text):
            # A module that is found leaves the mapping, so that each one is read only
            # once.
            for module_file in files_by_module.pop(word, []):
                code = config_bytes(module_file)
                covered.append((module_file, code))
                unread_texts.append(code)
    return sorted(covered)


def _modules_of(folder: Path) -> dict[bytes, list[Path]]:
    """Return the files of each module and package in a folder, by its name. Raises
    `OSError`."""
    modules: dict[bytes, list[Path]] = {}
    for path in folder.iterdir():
        name = os.fsencode(path.stem)
        if path.suffix == ".py":
            modules.setdefault(name, []).append(path)
        elif (path / "__init__.py").is_file():
            package_files = list(
                itertools.islice(path.rglob("*.py"), MAX_PACKAGE_FILES + 1)
            )
            if len(package_files) > MAX_PACKAGE_FILES:
                raise OSError(
                    errno.EFBIG, f"{path} has more than {MAX_PACKAGE_FILES:,} modules"
                )
            modules.setdefault(name, []).extend(package_files)
    return modules


def _absolute_path(path: Path) -> Path:
    """Return the absolute path of a file, without following the file itself if it is a
    link.

    A link in a folder names modules of that folder, not of its target's.
    """
    return path.parent.resolve() / path.name


def _without_untrusted(path: Path, config: ConfigFile) -> ConfigFile:
    """Return the safe settings of an untrusted configuration, and print the names of
    the others."""
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
    if name == "runs_dir":
        return isinstance(value, str) and _lies_below_the_folder(value)
    return name in settings_with(Use.UNTRUSTED)


def _lies_below_the_folder(path: str) -> bool:
    is_absolute = path.startswith(("/", "~"))
    return not is_absolute and ".." not in Path(path).parts


@functools.cache
def print_once(line: str) -> None:
    """Print a line on standard error, once per process.

    While a shell asks for completions, print nothing.
    """
    if "_CONTROLPLANE_COMPLETE" not in os.environ:
        from controlplane.terminal_text import say

        say(line, err=True)


# The folder of journals, which some commands need without any other setting


def runs_folder(named: str | None = None) -> Path:
    """Return the folder of journals.

    It is the first of these that is set: `named`, the environment variable,
    controlplane.toml, the default. Raises `UsageError` if controlplane.toml is needed
    and cannot be read.
    """
    named = named or os.environ.get("CONTROLPLANE_RUNS_DIR")
    if named:
        return Path(with_home(named))

    file = config_path(Path.cwd())
    if os.path.lexists(file):
        return Path(journals_folder(_runs_dir_in(file)))
    return Path(journals_folder(RUNS_DIR))


def _runs_dir_in(path: Path) -> str:
    """Return the folder of journals that a configuration names, or the default.

    Raises `UsageError`.
    """
    named = read_config(path).run.get("runs_dir", RUNS_DIR)
    if not isinstance(named, str):
        msg = f"{path}: runs_dir: a folder is given as text, not as {named!r}"
        raise UsageError(msg)
    return named


def run_argument(journal: Path) -> str:
    """Return the RUN argument for a journal: its id if it is in the runs folder,
    otherwise its path."""
    try:
        is_in_runs_folder = journal.parent.absolute() == runs_folder().absolute()
    except (UsageError, OSError):
        # controlplane.toml is invalid, or the working folder was removed. Commands that
        # get a path as RUN need neither.
        is_in_runs_folder = False
    if is_in_runs_folder:
        return journal_id(journal)
    return str(journal)
