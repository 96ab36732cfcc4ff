"""Worksheets on paper: their tables and pages. Imports engine, lessons, document's number texts and the devices."""
