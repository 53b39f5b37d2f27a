"""Radeon's dialect of the lane language (src/isa/lane.py): its state, formats, primitives, wave operations and calls into the executor."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../isa"))
import lane  # noqa: E402

SCALAR_FORMATS = ("sop1", "sop2", "sopk", "sopc", "sopp")
VECTOR_FORMATS = ("vop1", "vop2", "vopc", "vop3", "vop3p", "vintrp")

# A lane sees one bit of a mask. p0, p10 and p20 are interpolation parameters.
STATE_LANE = {"vcc": ("bool", "vcc"), "exec": ("bool", "exec"), "m0": ("u32", "m0"), "lane": ("u32", "lane"),
              "clamp": ("bool", None), "p0": ("u32", "param"), "p10": ("u32", "param"), "p20": ("u32", "param"),
              "attr_high": ("bool", None)}
STATE_SCALAR = {"scc": ("bool", "scc"), "vcc": ("u64", "vcc"), "exec": ("u64", "exec"), "exec_lo": ("u32", "exec"),
                "exec_hi": ("u32", "exec"), "m0": ("u32", "m0"), "pc": ("u64", "pc"), "priv": ("bool", "priv")}

PRIMITIVES = {  # lane_rdna.h
    "class_of": "F u32",
    # the steps of a division, and the reduction of an angle
    "quotient_is_denorm": "FF bool", "reciprocal_is_denorm": "F bool", "fma_scaled": "m FFF,bool F", "trig_preop": "f64,u32 f64",
    # lane masks
    "wqm": "u32 u32; u64 u64", "quadmask": "u32 u32; u64 u64", "bitreplicate": "u32 u64",
    # bytes and nibbles
    "sad_u8": "u32,u32 u32", "msad_u8": "u32,u32 u32", "sad_u16": "u32,u32 u32", "lerp_u8": "u32,u32,u32 u32",
    "byte_perm": "u32,u32,u32 u32", "dot8_i4": "u32,u32 i32", "dot8_u4": "u32,u32 u32",
}
WAVE = {"readlane": (2, False), "readfirstlane": (1, True), "writelane": (3, False), "permlane16": (4, True), "permlanex16": (4, True)}
WAIT = (("u32", "u16"), None, ("counters",), ())
EFFECTS = {"getreg": (("u16",), "u32", ("hwreg",), ()), "setreg": (("u16", "u32"), None, (), ("hwreg", "mode")),
           "wait_vscnt": WAIT, "wait_vmcnt": WAIT, "wait_expcnt": WAIT, "wait_lgkmcnt": WAIT}


def may_ignore(row, _):
    """A comparison that is always or never true has sources that it does not look at; so have the waits of one counter."""
    return row.format == "vopc" or row.name == "s_version"


RDNA = lane.Dialect(STATE_LANE, "amd_lane", SCALAR_FORMATS, STATE_SCALAR, read_only=("param", "lane"), active="exec",
                    aliases={"hwreg": "u16", "label": "i16", "x16": "u16", "param": "u32"}, untyped=("attr",), primitives=PRIMITIVES,
                    wave=WAVE, effects=EFFECTS, executor="struct lane_scalar *a", may_ignore=may_ignore)


def parse(row):
    """The checked Ast of a row's meaning."""
    return lane.parse(row, RDNA)
