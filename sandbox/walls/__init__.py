"""What protects the machine from a script: the language policy, the process wall, the kernel wall."""
