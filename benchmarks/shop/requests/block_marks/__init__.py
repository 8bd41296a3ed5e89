"""The marks and wordings by which a block in a request is found: text that poses as the system's."""
