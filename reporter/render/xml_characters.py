"""Which characters XML 1.0 cannot hold (its production 2, Char), for SVG and JUnit alike."""

from __future__ import annotations

import re

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
