"""State of the shape panel: the sizes of a problem and which of them can be changed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class ShapeState(NamedTuple):
    """The sizes of the problem on show; `head_counts` empty means that any count of heads will do."""

    num_heads: int
    num_kv_heads: int
    d_k: int
    d_v: int
    n: int
    m: int
    d_model: int
    batch_size: int = 1
    item: int = 0
    dtype: str = "float64"
    projected: bool = False
    self_attention: bool = False
    keep: str = "d_model"  # or "d_k": what stays when heads change
    head_counts: tuple[int, ...] = ()
    lacking: Mapping[str, str] = MappingProxyType({})  # sizes that the problem has not, and why

    @property
    def kv_head_counts(self) -> tuple[int, ...]:
        """The counts of K/V heads that share out the heads evenly."""
        return tuple(count for count in range(1, self.num_heads + 1) if self.num_heads % count == 0)

    @property
    def cut(self) -> str:
        """The cut of the columns of Q into heads, as the panel writes it after d_model."""
        if not self.d_k:
            return ""
        heads = f"{self.num_heads} · {self.d_k}"
        if self.d_model == self.num_heads * self.d_k:
            return f"= {heads}"
        return f"→ {heads}"
