"""Start of the bundled program: the command line of `attn-gui`, the window where nothing else is asked for."""

import sys

from attn_gui.cli import main

sys.exit(main())
