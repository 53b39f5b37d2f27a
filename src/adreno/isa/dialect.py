"""ir3's dialect of the lane language (src/isa/lane.py). Every row runs once for each lane; which lanes are active is the executor's affair."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../isa"))
import lane  # noqa: E402

IR3 = lane.Dialect({"clamp": ("bool", None)}, "adreno_lane", primitives={"dot4_mixed": "u32,u32 i32", "widen": "f16 f32"})  # lane_ir3.h


def parse(row):
    """The checked Ast of a row's meaning."""
    return lane.parse(row, IR3)
