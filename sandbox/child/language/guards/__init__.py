"""The guards: which attributes scripts reach, in their own code and through the library."""
