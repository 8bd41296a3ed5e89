"""Whether a request permits the model to write files in the shop.

The shop's rules say: "Save what only the office can do as `/exports/office-4.txt`." So a request for
such work permits it to write this file: `{"files": True, "tools": False}`.
"""

import pytest

from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result

RULES_WITH_A_FILE = (
    "Records are below /proc/. Follow /docs/checkout.md.\n"
    "Save what only the office can do as `/exports/office-4.txt`.\n"
)


@pytest.mark.parametrize(
    ("request_text", "exported_files", "permits_files"),
    [
        pytest.param(
            "Call the supplier of the tarps.", {}, True, id="the file is to be written"
        ),
        pytest.param(
            "Call the supplier of the tarps, but do not edit any file.",
            {},
            False,
            id="the request forbids it",
        ),
        pytest.param(
            "Call the supplier of the tarps.",
            {"/exports/office-4.txt": "Call Lea."},
            False,
            id="the file exists, so the rules may only tell where to read",
        ),
    ],
)
def test_files_are_permitted_if_the_rules_name_one_that_does_not_exist(
    request_text: str, exported_files: dict[str, str], permits_files: bool
) -> None:
    shop = written_shop({"/AGENTS.MD": RULES_WITH_A_FILE, **exported_files})

    result = function_result(shop, "permitted_changes", request=request_text, intent="")

    assert result["value"] == {"files": permits_files, "tools": False}
