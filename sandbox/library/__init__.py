"""The library of a script: importable modules, builtins, and the guard of their attributes."""
