"""Pages on devices: PNG, SVG and PDF."""
