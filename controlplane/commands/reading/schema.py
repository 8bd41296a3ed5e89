"""`controlplane schema`: print the JSON schema of a journal's lines."""

from __future__ import annotations

import click

from controlplane.journal.journal_writer import schema_bytes


@click.command("schema")
def command() -> None:
    """Print the JSON schema (draft 2020-12) of a journal: each of its lines is valid under it.

    It also lies beside the journals, where `schema_link` in the first event of each leads.
    """
    click.echo(schema_bytes(), nl=False)
