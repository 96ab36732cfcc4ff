"""`python -m attn_gui`."""

from __future__ import annotations

import sys

from attn_gui.cli import main

sys.exit(main())
