"""Sessions: the safetensors files that the program saves, and journals of what is not saved yet."""
