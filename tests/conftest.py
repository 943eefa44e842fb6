from __future__ import annotations

import pytest

from reports.schema import Figures


@pytest.fixture
def without_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports in a moment: figures and catalogue take the longest, and have tests of their own."""
    monkeypatch.setattr("reports.build.entries", lambda *_: ())
    nothing = Figures(width=1, samples=1, blocks=(), condition_numbers=(), spectra=(), errors=())
    monkeypatch.setattr("reports.build.figure_data", lambda context: nothing)
    monkeypatch.setattr("reports.build.figures", lambda results: {})
    monkeypatch.setattr("reports.render.captions", lambda results: [])
