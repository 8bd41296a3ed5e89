"""Runs the command line in this process: the same code as in a process of its own, without the time to start one."""

import contextlib
import io
import os
import sys
from pathlib import Path
from unittest import mock

from controlplane.__main__ import main
from tests.support.command import Result, environment


def inside(*arguments: str | Path, cwd: Path, **changes: str) -> Result:
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.dict(os.environ, environment(**changes), clear=True),
        mock.patch.object(sys, "path", list(sys.path)),
        mock.patch.object(sys, "argv", ["controlplane", *map(str, arguments)]),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return Result(code, out.getvalue(), err.getvalue())
