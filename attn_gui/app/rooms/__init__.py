"""Groups of rooms that are built once the first picture is painted, and the ground that they stand on."""
