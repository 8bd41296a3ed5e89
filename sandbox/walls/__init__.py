"""The walls between a script and the machine: the language policy, the process wall, the kernel wall."""
