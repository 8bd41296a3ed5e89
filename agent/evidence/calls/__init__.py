"""Makes calls in the environment, live, and follows each to its outcome."""
