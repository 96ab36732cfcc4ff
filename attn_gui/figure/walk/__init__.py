"""Walk through one cell: beats with their sentences, and the picture of any moment, for the window and files alike."""

from attn_gui.figure.walk.equations import Beat as Beat
from attn_gui.figure.walk.walk import Walk as Walk
from attn_gui.figure.walk.walk import walk_of as walk_of
from attn_gui.figure.walk.walk_export import export_walk as export_walk
