"""`controlplane trust`: trust a configuration file as it is now.

A `controlplane.toml` may come with a folder that somebody else made, and may name programs and
addresses. Those count only if the user trusts the file. The trust is remembered with a hash of
the file and of the local modules that it names, so it ends when one of them changes.
"""

from __future__ import annotations

from pathlib import Path

import click

from controlplane.configuration.config_file import config_bytes, trust
from controlplane.errors import as_usage_error
from controlplane.journal.journal_files import CONFIG_FILE
from controlplane.terminal_text import say


@click.command("trust")
@click.argument("file", type=click.Path(path_type=Path), default=CONFIG_FILE)
def trust_command(file: Path) -> None:
    """Trust FILE, by default the controlplane.toml of the working folder, as it is now.

    Until then a configuration in a folder sets only limits, seeds and names: it starts
    no program, imports no module, and names no address, key, price, isolation or place
    to write. It has to be trusted again after a change of the file, or of a module beside
    it that the file names or that such a module imports.
    """
    with as_usage_error(f"cannot read {file}", OSError):
        content = config_bytes(file)
    remedy = f"name the file in each call by --config {file}"
    with as_usage_error(f"cannot remember the trust; {remedy}", OSError):
        trust(file, content)
    say(f"trusted as it is now: {file}")
