"""Which words of a result may be the script's own, so that they prove nothing.

A script could pass a text to a tool, get it back, and cite it as a fact. A tool may store the
text (`OwnWords`), repeat it or decode it (`UnprovenWords`). Words that a result had first are not
the script's own (`ResultWords`).
"""
