"""Click options that several commands have. Imports nothing of what the commands do."""

from __future__ import annotations

from typing import Final

import click

AS_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
QUIET: Final = click.option("--quiet", is_flag=True, help="Print only the result.")
JUNIT: Final = click.option("--junit", default=None, metavar="FILE", help="Also write the result as JUnit XML.")
RUNS_DIR: Final = click.option("--runs-dir", default=None, help="The folder of the journals.  [default: runs]")
