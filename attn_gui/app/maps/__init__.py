"""Controllers of the maps: what they draw, readings, two states, gradients."""
