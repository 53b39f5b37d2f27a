"""What tests for any GPU need to know of this family: Mesa's drivers, which judge its models, and how its models' reports read."""
import re

# Mesa's Vulkan driver by its name in run_on.py and by that of the loader's file, and its OpenGL driver; the variables that run_on.py's
# switches set; how each driver calls a GPU.
VULKAN, VULKAN_ICD, GALLIUM = "panvk", "panfrost_icd", "panfrost"
VULKAN_SWITCHES = {"flags": "PANVK_DEBUG"}
VULKAN_ENVIRONMENT = {"PAN_I_WANT_A_BROKEN_VULKAN_DRIVER": "1"}  # releases before 25.1 ask for it on this GPU
VULKAN_NAMES = {"mali-g610": "Mali-G610"}
GALLIUM_NAMES = {"mali-g610": "Mali-G610"}
GL_KNOWN = {}  # scenes of tests/gl that are left out, and why
GL_RENDERER = "Mali"  # how the name begins that OpenGL programs see

# A DRM format modifier of these GPUs, and nothing that a program could read as rows of pixels: U-interleaved tiles of 16x16.
TILED_MODIFIER = "0x0810000000000001"

# Sizes of a subgroup that a program may ask for, the usual one first.
SUBGROUP_SIZES = (16,)

# A report of a lost context points at an instruction: any, one of the endless loop of device_lost.comp, and its load.
INSTRUCTION = r"[A-Z][A-Z0-9_]+(?:\.[a-z0-9_]+)*"
LOOP = re.compile(r"(BRANCHZ|JUMP|NOP|MOV|ICMP|IADD|ATOM|LOAD|STORE|LSHIFT|MUX|CSEL)")
LOAD = re.compile(r"LOAD|LD_")
