"""The product picture and all stages at once. Imports engine, figure, `views.map`."""
