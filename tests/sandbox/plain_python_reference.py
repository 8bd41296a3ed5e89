"""Runs the ordinary scripts of the corpus in plain CPython, without a sandbox.

`python -m tests.sandbox.plain_python_reference ordinary/idioms.txt` prints JSON: for each title
the printed text and the error that ended the script, such as
`{"idioms: format errors": ["KeyError missing\\n", ""]}`. The sandbox must give the same.
"""

import contextlib
import decimal
import io
import json
import sys
import types

from controlplane.sandbox.child.language.script_errors import title_of
from controlplane.sandbox.child.step.harness import build_harness
from controlplane.sandbox.child.step.scratchpad import EXCEPTIONS
from controlplane.sandbox.child.step.script_run import Console
from tests.sandbox.local_parent import TOOL_SCHEMA, LocalParent
from tests.sandbox.script_corpus import corpus_scripts


def no_remedy(undefined_name: str) -> str:
    """Return the empty remedy: plain Python does not say what to write instead of a name."""
    return ""


def script_module(parent: LocalParent, output: io.StringIO) -> types.ModuleType:
    """Return an empty `__main__` with the names that every script has."""
    module = types.ModuleType("__main__")
    vars(module).update(
        harness=build_harness(TOOL_SCHEMA.operations, parent.call, parent.answer),
        scratchpad=parent.scratchpad,
        console=Console(output.write),
        **EXCEPTIONS,
    )
    return module


def run(source: str) -> list[str]:
    """Run a script, and return its printed text and the error that ended it.

    `run("print(1)")` -> `["1\\n", ""]`, `run("{}['b']")` -> `["", "KeyError: 'b'"]`
    """
    output = io.StringIO()
    module = script_module(LocalParent(), output)
    main_before = sys.modules["__main__"]
    sys.modules["__main__"] = module
    error = ""
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(source, "<script>", "exec", dont_inherit=True), vars(module))
    except BaseException as raised:  # noqa: BLE001 - the border to the script
        is_ordinary_exit = isinstance(raised, SystemExit) and not raised.code
        if not is_ordinary_exit:
            error = title_of(raised, no_remedy)
    finally:
        # Undo what scripts change most often for all that run after them.
        sys.modules["__main__"] = main_before
        sys.setrecursionlimit(1000)
        decimal.setcontext(decimal.Context())
    return [output.getvalue(), error]


if __name__ == "__main__":
    outcomes = {}
    for title, source in corpus_scripts(*sys.argv[1:]):
        outcomes[title] = run(source)
    print(json.dumps(outcomes))
