import pytest

from tests.toolkit.sample_records import CLERK, CUSTOMER, GUEST, sample_records
from toolkit.records import leads_branch, shielded, staff_with_role


@pytest.mark.parametrize(
    ("role", "branch", "count", "cited"),
    [
        ("Clerk", "", 2, 2),
        ("clerk", "Mill Lane", 1, 2),
        ("clerk", "Lane", 1, 2),
        ("lead", "Mill Lane", 0, 1),
        ("pilot", "", 0, 0),
    ],
)
def test_people_with_a_role_are_counted_and_cited(role, branch, count, cited):
    found = staff_with_role(sample_records(), role, branch)
    assert (found.value, len(found.refs)) == (count, cited)


@pytest.mark.parametrize(("role", "branch"), [("clerk", "Nowhere"), ("", "")])
def test_what_is_not_known_is_not_counted(role, branch):
    assert staff_with_role(sample_records(), role, branch) is None


@pytest.mark.parametrize(
    ("asker", "person", "branch", "leads", "cited"),
    [
        (CLERK, "Ada Berg", "Harbour Hill", True, ["/proc/people/w-1.json", "/proc/shops/s-1.json"]),
        (CUSTOMER, "Ada", "Harbour", True, ["/proc/shops/s-1.json"]),
        (GUEST, "Ada Berg", "Harbour Hill", True, ["/proc/shops/s-1.json"]),
        (CLERK, "Ben Cole", "Mill Lane", False, []),
        (CLERK, "Ada Berg", "Mill Lane", False, []),
    ],
)
def test_who_leads_a_branch_is_shown_to_staff_alone(asker, person, branch, leads, cited):
    found = leads_branch(sample_records(), asker, person=person, branch=branch, lead_role="lead")
    assert (found.value, [each.path for each in found.refs]) == (leads, cited)


def test_a_branch_stands_for_a_person_before_outsiders():
    paths = ["/proc/people/w-1.json", "/proc/orders/order-01.json"]
    assert shielded(sample_records(), CUSTOMER, paths) == ["/proc/shops/s-1.json", "/proc/orders/order-01.json"]
    assert shielded(sample_records(), CLERK, paths) == paths
