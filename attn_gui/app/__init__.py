"""Controllers, actions and start-up. Imports every other package."""
