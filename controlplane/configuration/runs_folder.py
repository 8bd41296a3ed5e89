"""The folder in which journals are, and how commands name a journal in it.

Most commands take a run (RUN) by its journal: `show 20261129-0915-loans` means the file
`runs/20261129-0915-loans.jsonl`, if `runs` is the folder of journals.
"""

from __future__ import annotations

import os
from pathlib import Path

from controlplane.configuration.config_file import config_path, read_config
from controlplane.errors import UsageError
from controlplane.journal.journal_files import (
    RUNS_DIR,
    journal_id,
    journals_folder,
    with_home,
)


def runs_folder(named: str | None = None) -> Path:
    """Return the folder of journals.

    It is the first of these that is set: `named`, the environment variable,
    controlplane.toml, the default. Raises `UsageError` if controlplane.toml is needed
    and cannot be read.
    """
    named = named or os.environ.get("CONTROLPLANE_RUNS_DIR")
    if named:
        return Path(with_home(named))

    # From here on, whoever wrote the working folder chooses, such as the author of a cloned
    # repository. So `journals_folder` refuses a folder that is a link to another place.
    file = config_path(Path.cwd())
    if os.path.lexists(file):
        return Path(journals_folder(_runs_dir_in(file)))
    return Path(journals_folder(RUNS_DIR))


def _runs_dir_in(path: Path) -> str:
    """Return the folder of journals that a controlplane.toml names, or the default.

    Raises `UsageError`.
    """
    named = read_config(path).run.get("runs_dir", RUNS_DIR)
    if not isinstance(named, str):
        msg = f"{path}: runs_dir: a folder is given as text, not as {named!r}"
        raise UsageError(msg)
    return named


def run_argument(journal: Path) -> str:
    """Return the RUN argument that names a journal on the command line.

    It is the journal's id if the journal is in the runs folder, otherwise its path.
    """
    try:
        is_in_runs_folder = journal.parent.absolute() == runs_folder().absolute()
    except (UsageError, OSError):
        # controlplane.toml is invalid, or the working folder was removed. Commands that
        # get a path as RUN need neither.
        is_in_runs_folder = False
    if is_in_runs_folder:
        return journal_id(journal)
    return str(journal)
