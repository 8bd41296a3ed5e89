"""Results that are not plain data, such as a mapping that contains itself."""


class UnreadableMapping(dict[str, object]):
    """A mapping with a defect: the methods that read it raise."""

    def __iter__(self) -> object:
        raise LookupError

    def keys(self) -> object:
        raise LookupError

    def items(self) -> object:
        raise LookupError


def nested_list(levels: int) -> object:
    """Return `[[[1]]]` for three levels."""
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def mapping_in_itself() -> dict[str, object]:
    """Return a mapping whose only value is the mapping itself: `{"self": {"self": …}}`."""
    value: dict[str, object] = {}
    value["self"] = value
    return value
