"""Page of gradients: of a cell or a row by everything that it is computed from, finite differences beside."""
