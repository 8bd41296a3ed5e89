"""What a screen reader finds in a page, by the browser's own tree of accessible elements.

For example:

    accessible_elements(page)    ->    {("link", "alpha"), ("table", "Trials"), ...}
"""

from tests.support.browser import Browser


def accessible_elements(page: Browser) -> set[tuple[str, str]]:
    """Return role and name of each element that a screen reader finds: `{("link", "alpha"), ...}`.

    The tree of these elements is the browser's own.
    """
    elements = set()
    for node in page.send("Accessibility.getFullAXTree")["nodes"]:
        if not node.get("ignored") and "role" in node:
            name = str(node.get("name", {}).get("value", ""))
            elements.add((node["role"]["value"], name))
    return elements


def names_of(elements: set[tuple[str, str]]) -> set[str]:
    """Return the names of elements of whatever role: `{"alpha", ...}`."""
    return {name for _, name in elements}
