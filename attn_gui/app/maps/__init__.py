"""Controllers of the maps: what they draw, the status bar, readings, two states, gradients."""
