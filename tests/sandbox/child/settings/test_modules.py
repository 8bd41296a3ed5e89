"""Settings of a module that a script changes are reset after its step.

A step is one script. The next one may run in the same process, and must not depend on this one:
`csv.field_size_limit(5)` holds until the end of its step.
"""

import pytest

from controlplane.sandbox import Sandbox


@pytest.mark.parametrize(
    ("change", "show", "shown"),
    [
        pytest.param(
            "import csv; csv.field_size_limit(5)",
            "import csv; print(csv.field_size_limit())",
            "131072",
            id="size limit of csv",
        ),
        pytest.param(
            "import csv; csv.register_dialect('a')",
            "import csv; print(csv.list_dialects())",
            "['excel', 'excel-tab', 'unix']",
            id="new dialect of csv",
        ),
        pytest.param(
            "import csv; csv.register_dialect('excel', delimiter=';')",
            "import csv; print(csv.get_dialect('excel').delimiter)",
            ",",
            id="changed dialect of csv",
        ),
        pytest.param(
            "import calendar; calendar.setfirstweekday(6)",
            "import calendar; print(calendar.firstweekday())",
            "0",
            id="first day of the week",
        ),
        pytest.param(
            "import decimal; decimal.getcontext().prec = 3",
            "import decimal; print(decimal.getcontext().prec)",
            "28",
            id="precision of decimals",
        ),
        pytest.param(
            "import decimal; decimal.BasicContext.prec = 2",
            "import decimal; print(decimal.BasicContext.prec)",
            "9",
            id="precision of a basic context",
        ),
        pytest.param(
            "import decimal; decimal.DefaultContext.prec = 2",
            "import decimal; print(decimal.DefaultContext.prec)",
            "28",
            id="precision of new contexts",
        ),
    ],
)
def test_a_setting_that_a_script_changes_is_reset_after_its_step(
    change: str, show: str, shown: str, sandbox: Sandbox
) -> None:
    before = sandbox.run(show)
    changing_step = sandbox.run(change)
    after = sandbox.run(show)

    assert before.output == f"{shown}\n"
    assert changing_step.error == ""
    assert after.output == f"{shown}\n"
