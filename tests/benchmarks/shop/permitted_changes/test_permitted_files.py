"""Whether a request permits the model to write files: `{"files": True, "tools": False}`.

The shop's rules name a file that does not exist: "Save what only the office can do as
`/exports/office-4.txt`." Any request may be such work, which the model has to judge. So each
request permits to write files, unless it forbids that.
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
            "Call the supplier of the tarps.", {}, True, id="the file does not exist"
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
            id="the file exists, so it need not be written",
        ),
    ],
)
def test_files_are_permitted_if_the_rules_name_one_that_does_not_exist(
    request_text: str, exported_files: dict[str, str], permits_files: bool
) -> None:
    shop = written_shop({"/AGENTS.MD": RULES_WITH_A_FILE, **exported_files})

    result = function_result(
        shop,
        "permitted_changes",
        request=request_text,
        intent="",  # No classifier has said what the request wants.
    )

    assert result["value"] == {"files": permits_files, "tools": False}
