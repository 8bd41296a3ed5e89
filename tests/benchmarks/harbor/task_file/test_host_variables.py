"""Environment variables of the user for which a task asks, by `${NAME}` or `${NAME:-default}`.

The task's container gets the value of KEY for `"${KEY}"` only if the user has allowed KEY.
"""

from controlplane.benchmarks.containers.container_variables import (
    missing_host_variables,
    with_host_variables,
)


def test_only_host_variables_that_the_user_allows_are_filled_in() -> None:
    """The user allows KEY alone. REGION has a default, and HOME has none."""
    requested = {"KEY": "${KEY}", "REGION": "in ${REGION:-eu}", "HOME": "${HOME}"}
    allowed = {"KEY": "k1"}

    filled = with_host_variables(requested, allowed)
    missing = missing_host_variables(requested, allowed)

    assert filled == {"KEY": "k1", "REGION": "in eu", "HOME": ""}
    assert missing == ["HOME"]
