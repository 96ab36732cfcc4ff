"""The formula as a row of live maps with their operators between them. Imports engine, figure, document, views."""
