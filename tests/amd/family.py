"""What tests for any GPU need to know of this family: Mesa's drivers, which judge its models, and how its models' reports read."""
import re

# Mesa's Vulkan driver by its name in run_on.py and by that of the loader's file, and its OpenGL driver; the variables that run_on.py's
# switches set; how each driver calls a GPU.
VULKAN, VULKAN_ICD, GALLIUM = "radv", "radeon_icd", "radeonsi"
VULKAN_SWITCHES = {"flags": "RADV_DEBUG", "perftest": "RADV_PERFTEST"}
VULKAN_ENVIRONMENT = {}  # what else the driver needs
VULKAN_NAMES = {"gfx1030": "(RADV NAVI21)", "gfx1033": "(RADV VANGOGH)"}
GALLIUM_NAMES = {"gfx1030": "navi21", "gfx1033": "vangogh"}
GALLIUM_ENVIRONMENT = {}  # what its OpenGL driver needs besides
GL_KNOWN = {}  # scenes of tests/gl that are left out, and why
ZINK_LACKS = None  # why Zink on our driver cannot draw the scenes of tests/gl
GL_RENDERER = "AMD"  # how the name begins that OpenGL programs see

# A DRM format modifier of these GPUs, and nothing that a program could read as rows of pixels.
TILED_MODIFIER = "0x0200000020801b03"

# Sizes of a subgroup that a program may ask for, the usual one first.
SUBGROUP_SIZES = (64, 32)

# A report of a lost context points at an instruction: any, one of the endless loop of device_lost.comp, and its load.
INSTRUCTION = r"[sv]_\w+|global_\w+|flat_\w+|buffer_\w+"
LOOP = re.compile(r"s_(c?branch|waitcnt|and|or|xor|mov)|global_atomic|v_cmp|buffer_")
LOAD = re.compile(r"global_load|flat_load")
