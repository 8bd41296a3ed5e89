"""`harness`: its methods, the calls that they send, and the results that a script gets."""
