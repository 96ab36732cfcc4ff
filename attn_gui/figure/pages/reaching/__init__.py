"""Page of the reach of recurrent layers, convolutions and attention over the same sequence."""
