"""Windows of the layers of a decoder: which of them look back only so far."""

from __future__ import annotations

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.models.reading.config_file import Config

SLIDING = {"full_attention": False, "sliding_attention": True}
UNSAID = 4096  # the window where config.json names none, as transformers has it
_KINDS = QT_TRANSLATE_NOOP("Sentences", "{file}: layer_types must name one of {choices} for each of {layers} layers.")


def layer_windows(config: Config, layers: int, sliding: list[bool]) -> tuple[int | None, ...]:
    """The window of each layer that slides; `layer_types`, where they are given, say which these are."""
    kinds = config.given("layer_types")
    if kinds is not None:
        if not isinstance(kinds, list) or len(kinds) != layers or not all(kind in tuple(SLIDING) for kind in kinds):
            raise config.refusal(_KINDS, choices=", ".join(SLIDING), layers=layers)
        sliding = [SLIDING[kind] for kind in kinds]
    if not any(sliding) or ("sliding_window" in config and config.given("sliding_window") is None):
        return (None,) * layers
    window = config.count("sliding_window", UNSAID)
    return tuple(window if slides else None for slides in sliding)
