"""The side of the untrusted script: the fork server, its children and their steps."""
