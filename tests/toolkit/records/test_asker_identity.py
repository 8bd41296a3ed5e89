import pytest

from toolkit.records import Identity, read_identity


@pytest.mark.parametrize(
    ("text", "user", "roles"),
    [
        ("user: c-1\nroles: customer\n", "c-1", {"customer"}),
        ("roles: [Clerk, lead]\nuser: w-1", "w-1", {"clerk", "lead"}),
        ("User=guest\nRole=guest", "guest", {"guest"}),
        ("nobody is signed in", "", set()),
    ],
)
def test_what_the_identity_tool_prints_is_read(text, user, roles):
    assert read_identity(text) == Identity(user, frozenset(roles))


@pytest.mark.parametrize(
    ("roles", "customer", "outside"),
    [
        ({"customer"}, True, True),
        ({"guest"}, False, True),
        ({"customer", "clerk"}, False, False),
        (set(), False, False),
    ],
)
def test_roles_alone_say_who_somebody_is(roles, customer, outside):
    found = Identity("emp-1", frozenset(roles))
    assert (found.is_customer, found.is_outside) == (customer, outside)


@pytest.mark.parametrize(
    ("roles", "owner", "allowed"),
    [
        ({"customer"}, "C_1", True),
        ({"customer"}, "c-2", False),
        ({"guest"}, "c-1", False),
        ({"guest"}, "", True),
        ({"clerk"}, "c-2", True),
        (set(), "c-1", False),
    ],
)
def test_records_are_shown_to_their_owner_and_to_staff(roles, owner, allowed):
    assert Identity("c-1", frozenset(roles)).may_cite(owner) is allowed
