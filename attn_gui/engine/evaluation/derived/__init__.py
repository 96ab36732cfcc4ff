"""Maps that are made of other maps and never kept: read by the block, drawn strip by strip."""
