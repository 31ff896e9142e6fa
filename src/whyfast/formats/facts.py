"""What a file says about its subject and machine, gathered from all places where it says it."""

from __future__ import annotations

from statistics import median

from whyfast.model.series import MetadataValue

_MOST = 8  # different texts of one key that are kept


class Facts:
    """Collects key and value pairs; a key that had several values keeps them all."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[str, None]] = {}
        self._loads: dict[str, list[float]] = {}

    def add(self, key: str, value: str | float) -> None:
        """Note a fact. Of loads, which change from moment to moment, the median is kept."""
        if isinstance(value, str):
            texts = self._texts.setdefault(key, {})
            if len(texts) < _MOST:
                texts[value] = None
        elif key.startswith("load_avg"):
            self._loads.setdefault(key, []).append(value)
        else:
            self.add(key, f"{value:.12g}")

    def settled(self) -> dict[str, MetadataValue]:
        """Each key with its value, or with the tuple of its values."""
        found: dict[str, MetadataValue] = {}
        for key, texts in self._texts.items():
            found[key] = next(iter(texts)) if len(texts) == 1 else tuple(texts)
        return {**found, **{key: median(loads) for key, loads in self._loads.items()}}
