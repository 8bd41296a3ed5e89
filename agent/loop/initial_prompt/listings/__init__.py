"""The files that an environment lists, from which those of the first message are chosen."""
