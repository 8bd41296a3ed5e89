"""The lines of the system prompt about the calls that a script can make."""
