"""What is kept of a search for a set, and by whom it is gone on with."""

from __future__ import annotations

import json
from pathlib import Path

from whyfast.search.ddmin import Failed
from whyfast.search.keep import FORMAT, load_events, save_events
from whyfast.search.subsets import Trial

NAMES = ("-fa", "-fb")
EVENTS = (Trial(0.5, None, 0.0), Trial(0.5, frozenset({1}), 0.25), Failed(frozenset({0}), "why"))


def test_what_was_measured_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    save_events(file, EVENTS, NAMES)
    assert load_events(file, NAMES) == EVENTS


def test_a_search_of_other_names_or_of_an_older_format_is_not_gone_on_with(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    save_events(file, EVENTS, NAMES)
    assert load_events(file, ("-fa", "-fc")) == ()
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, "format": FORMAT - 1}))
    assert load_events(file, NAMES) == ()
