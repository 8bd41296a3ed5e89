"""The Python code in a reply: where it is written, and how its form is repaired."""
