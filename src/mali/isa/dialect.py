"""Valhall's dialect of the lane language (src/isa/lane.py). Every row runs once for each lane; which lanes are active is the executor's affair."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../isa"))
import lane  # noqa: E402

VALHALL = lane.Dialect({"clamp": ("bool", None)}, "mali_lane", primitives={"log_slope": "f32 f32", "widen": "f16 f32"})  # lane_valhall.h


def parse(row):
    """The checked Ast of a row's meaning."""
    return lane.parse(row, VALHALL)
