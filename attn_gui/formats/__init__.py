"""Files to problems and back. Imports engine, safetensors and NumPy; no Qt."""
