"""The result of a call is recorded as it was, although a later call of the tool changes the object.

    [call.result for call in environment.calls]    ->    [[1], [1, 2]]

A grader sees `environment.calls`.
"""

import dataclasses

from controlplane import TaskEnvironment, Tool


def test_a_recorded_result_is_not_changed_by_the_next_call() -> None:
    sizes: list[int] = []

    def put(items: list[str]) -> list[int]:
        sizes.append(len(items))
        return sizes  # The same list in each call.

    environment = TaskEnvironment([Tool(put, "acts")])

    environment.runtime.call("put", {"items": ["one"]})
    environment.runtime.call("put", {"items": ["one", "two"]})

    assert [call.result for call in environment.calls] == [[1], [1, 2]]


def test_a_result_that_cannot_be_copied_is_recorded_as_json() -> None:
    @dataclasses.dataclass
    class NotCopyable:
        x: int

        def __deepcopy__(self, memo: object) -> None:
            raise RuntimeError("a lock cannot be copied")

    look = Tool(lambda: NotCopyable(1), "returns", name="look")
    environment = TaskEnvironment([look])

    environment.runtime.call("look", {})

    assert environment.calls[0].result == {"x": 1}
