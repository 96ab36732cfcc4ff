"""Pages of the catalog in the window: what a page paints, its knobs above it, and the panel that holds them."""
