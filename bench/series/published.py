"""F1 that others published for the series of the Turing set, with default settings.

From TCPDBench (github.com/alan-turing-institute/TCPDBench, analysis/output/scores/
default_f1_scores.json), rounded to three digits; NaN: it failed. "E-Divisive" is the R package ecp.
Of the fourteen methods there, these and the two with the best means on these series.
"""

from __future__ import annotations

from collections.abc import Mapping

_NAN = float("nan")

METHODS = ("BOCPD", "E-Divisive", "binary segmentation", "PELT", "at most one change")

#: Name of a series → the F1 of each method.
F1: Mapping[str, tuple[float, ...]] = {
    "bank": (0.047, 0.154, 0.400, 0.400, 0.667),
    "brent_spot": (0.521, 0.478, 0.483, 0.465, 0.272),
    "businv": (0.270, 0.301, 0.370, 0.370, 0.455),
    "centralia": (0.909, 0.763, 0.909, 0.909, 0.763),
    "children_per_woman": (0.637, 0.349, 0.618, 0.618, 0.618),
    "co2_canada": (0.619, 0.817, 0.691, 0.661, 0.544),
    "construction": (0.634, 0.574, 0.709, 0.709, 0.516),
    "debt_ireland": (0.760, 0.469, 0.760, 0.760, 0.469),
    "gdp_argentina": (0.947, 0.824, 0.889, 0.889, 0.889),
    "gdp_croatia": (1.000, 0.824, 0.583, 0.583, 0.583),
    "gdp_iran": (0.622, 0.652, 0.492, 0.492, 0.492),
    "gdp_japan": (0.800, 0.889, 0.615, 0.615, 0.615),
    "global_co2": (0.754, 0.754, 0.929, 0.754, 0.929),
    "homeruns": (0.729, 0.675, 0.812, 0.812, 0.812),
    "jfk_passengers": (0.437, 0.437, 0.776, 0.776, 0.776),
    "lga_passengers": (0.630, 0.392, 0.438, 0.438, 0.422),
    "nile": (1.000, 1.000, 1.000, 1.000, 1.000),
    "ozone": (0.650, 0.723, 0.650, 1.000, 0.531),
    "quality_control_1": (0.800, 0.667, 1.000, 1.000, 1.000),
    "quality_control_2": (1.000, 1.000, 1.000, 1.000, 1.000),
    "quality_control_3": (1.000, 1.000, 1.000, 1.000, 1.000),
    "quality_control_4": (0.658, 0.393, 0.873, 0.726, 0.810),
    "quality_control_5": (1.000, 1.000, 1.000, 1.000, 1.000),
    "rail_lines": (0.846, 0.537, 0.846, 0.846, 0.846),
    "seatbelts": (0.583, 0.321, 0.683, 0.683, 0.474),
    "shanghai_license": (0.713, 0.698, 0.868, 0.868, 0.868),
    "uk_coal_employ": (_NAN, 0.513, _NAN, _NAN, _NAN),
    "unemployment_nl": (0.683, 0.620, 0.876, 0.773, 0.566),
    "us_population": (0.216, 0.174, 0.667, 0.471, 1.000),
    "usd_isk": (0.609, 0.661, 0.657, 0.657, 0.785),
    "well_log": (0.796, 0.818, 0.534, 0.555, 0.279),
}
