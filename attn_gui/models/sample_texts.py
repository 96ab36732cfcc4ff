"""Sample texts: what a model reads until it is given another text."""

from __future__ import annotations

from attn_gui.models.model import Model

CAUSAL = "When Mary and John went to the store, John gave a drink to"
FILLED = "The capital of France is {mask}."
READ = "The animal did not cross the street because it was too tired."
LETTERS = "q w e r t y q w e r"
"""For a model that knows letters only: the second half repeats the first."""


def sample_text(model: Model) -> str:
    """Return the sample that a model cuts into the most different tokens, of those that it can read: it knows the
    words."""
    mask = model.tokenizer.mask_token
    sentence = CAUSAL if model.sizes.causal else READ if mask is None or model.ends.head is None else FILLED
    texts = (sentence.format(mask=mask), LETTERS, LETTERS[0])

    def told(text: str) -> int:
        ids = model.tokenizer.cut((text,)).ids
        return len(set(ids)) if len(ids) <= model.sizes.most_tokens else 0

    return max(texts, key=told)
