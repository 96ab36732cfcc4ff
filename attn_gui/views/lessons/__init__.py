"""The panel of a lesson beside the inspector. Imports figure, the inspector's texts and theme."""
