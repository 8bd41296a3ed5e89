"""The forms in which a tool may repeat a text that a script passed to it, such as decoded."""
