r"""Many lines of a `task.toml`: `lines_of("b{} = 1", 2)` is `"b0 = 1\nb1 = 1\n"`."""


def lines_of(line: str, count: int) -> str:
    """Return a line this often, with its number: `lines_of("b{} = 1", 2)` -> "b0 = 1\\nb1 = 1\\n"."""
    return "".join(line.format(number) + "\n" for number in range(count))
