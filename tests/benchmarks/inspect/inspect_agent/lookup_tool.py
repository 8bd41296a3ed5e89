"""A tool of Inspect that knows one word: `lookup("heron")` returns "heron: a grey bird"."""

from inspect_ai.tool import Tool, ToolError, tool


@tool
def lookup() -> Tool:
    """Return the tool. For another word than "heron", it raises `ToolError`."""

    async def execute(word: str, limit: int = 3) -> str:
        """Look a word up.

        Args:
            word: the word
            limit: how many senses
        """
        if word != "heron":
            raise ToolError(f"no word {word}")
        return f"{word}: a grey bird"

    return execute
