"""The calls before the model is asked, and the
sections of the first message that show their results."""
