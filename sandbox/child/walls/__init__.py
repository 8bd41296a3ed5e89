"""The process layer and the kernel layer: what a child process may ask of the machine."""
