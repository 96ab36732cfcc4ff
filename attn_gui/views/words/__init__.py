"""Words on screen: names of stages, fields and scores, and formulas as text. Imports engine, figure and Qt."""
