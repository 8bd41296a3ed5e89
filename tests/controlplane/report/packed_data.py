"""Reads the data that is packed into a report, one HTML file about recorded runs.

The pages of trials are not in the file as HTML. Scripts of the report make them of this data.
"""

import base64
import json
import re
import zlib
from typing import Any


def packed_data(html: str) -> dict[str, Any]:
    """Return the data packed into a report: `{"data-trial-1-1": {"task": "right", ...}, ...}`.

    Each is compressed JSON in an element `<script type="text/plain" id="data-trial-1-1">`.
    """
    blocks = re.findall(
        r'<script type="text/plain" id="([\w-]+)">([^<]*)</script>', html
    )
    data = {}
    for name, text in blocks:
        data[name] = json.loads(zlib.decompress(base64.b64decode(text)))
    return data
