"""What stands for heavy modules while the fork server starts: as good as they are for who asks, and gone afterwards."""

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

_SHOW = """
import json, sys
from sandbox.child import import_stubs
import_stubs.install()
import calendar, inspect, uuid, zoneinfo, _strptime
from RestrictedPython.transformer import RestrictingNodeTransformer
import_stubs.remove()
flags = {name: value for name, value in vars(inspect).items() if name.startswith("CO_")}
left = [name for name in ("dis", "tokenize", "locale", "sysconfig", "platform") if name in sys.modules]
import locale, dis
print(json.dumps({
    "flags": flags,
    "left": left,
    "language": _strptime._getlang() == locale.getlocale(locale.LC_TIME),
    "own": [dis.__spec__ is not None, locale.__spec__ is not None],
}))
"""


def _shown() -> dict[str, Any]:
    ours = str(Path(__file__).resolve().parents[3])
    code = f"import sys; sys.path.insert(0, {ours!r})\n{_SHOW}"
    given = {"PYTHONTZPATH": "", "LC_ALL": "C.UTF-8"}
    done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=True)
    shown: dict[str, Any] = json.loads(done.stdout)
    return shown


def test_the_library_finds_what_it_asks_for_and_the_stand_ins_are_gone_afterwards() -> None:
    shown = _shown()
    names = [each.id for each in ast.walk(ast.parse(inspect.getsource(inspect))) if isinstance(each, ast.Name)]
    assert shown["flags"].items() >= {name: getattr(inspect, name) for name in names if name[:3] == "CO_"}.items()
    assert shown["flags"]
    assert shown["language"] is True
    assert shown["left"] == []
    assert shown["own"] == [True, True]
