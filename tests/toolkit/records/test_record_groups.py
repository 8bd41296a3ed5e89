from toolkit.records import record_groups

PATHS = [
    "/docs/rules.md",
    "/proc/checkout/payments/s-1/pay-0013.json",
    "/proc/checkout/payments/s-2/pay-0014.json",
    "/proc/checkout/open/basket-01.json",
    "/proc/goods/Red/TOOL-RED-1.json",
    "/proc/goods/Blue/TOOL-BLU-2.json",
    "/exports/x.csv",
]


def test_files_of_one_folder_and_one_form_of_id_are_a_group():
    found = {each.root: (each.prefix, each.separator, each.width, len(each.paths)) for each in record_groups(PATHS)}
    assert found == {
        "/proc/checkout/payments": ("pay", "-", 4, 2),
        "/proc/checkout/open": ("basket", "-", 2, 1),
        "/proc/goods": ("", "", 0, 2),
    }


def test_only_what_lies_below_a_folder_is_grouped():
    assert [each.root for each in record_groups(PATHS, "/proc/goods/")] == ["/proc/goods"]
