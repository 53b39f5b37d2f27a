"""What tests for any GPU need to know of this family: Mesa's drivers, which judge its models, and how its models' reports read."""
import re

# Mesa's Vulkan driver by its name in run_on.py, the variable of its switches, and its OpenGL driver; how each calls a GPU.
VULKAN, VULKAN_SWITCHES, GALLIUM = "radv", "RADV_DEBUG", "radeonsi"
VULKAN_NAMES = {"gfx1030": "(RADV NAVI21)", "gfx1033": "(RADV VANGOGH)"}
GALLIUM_NAMES = {"gfx1030": "navi21", "gfx1033": "vangogh"}
GL_KNOWN = {}  # scenes of tests/gl that are left out, and why
GL_RENDERER = "AMD"  # how the name begins that OpenGL programs see

# A DRM format modifier of these GPUs, and nothing that a program could read as rows of pixels.
TILED_MODIFIER = "0x0200000020801b03"

# Sizes of a subgroup that a program may ask for, the usual one first.
SUBGROUP_SIZES = (64, 32)

# A report of a lost context points at an instruction: any, one of the endless loop of device_lost.comp, and its load.
INSTRUCTION = r"[sv]_\w+|global_\w+|flat_\w+|buffer_\w+"
LOOP = re.compile(r"s_(c?branch|waitcnt|and|or|xor|mov)|global_atomic|v_cmp|buffer_")
LOAD = re.compile(r"global_load|flat_load")
