"""Two problems side by side: their difference, the comparisons that are ready made, and which change moved a cell."""
