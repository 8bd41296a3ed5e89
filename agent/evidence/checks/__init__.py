"""The checks before a call that may change something, and the calls that they hold."""
