"""What tests for any GPU need to know of this family: Mesa's drivers, which judge its models, and how its models' reports read."""
import re

# Mesa's Vulkan driver by its name in run_on.py and by that of the loader's file, and its OpenGL driver; the variables that run_on.py's
# switches set; how each driver calls a GPU.
VULKAN, VULKAN_ICD, GALLIUM = "turnip", "freedreno_icd", "msm"
CORPUS_JUDGE = "turnip-26.1"  # of subgroups in tests/shaders: 22.3.6 has neither clusters nor rotations, and dies of some shaders
CORPUS_RIG_DRAWS = True  # its runner without a driver draws, too: what needs no images
VULKAN_SWITCHES = {"flags": "TU_DEBUG"}
VULKAN_ENVIRONMENT = {}  # what else the driver needs
VULKAN_NAMES = {"adreno-635": "Adreno 7c+ Gen 3", "adreno-618": "Adreno (TM) 618"}
GALLIUM_NAMES = {"adreno-635": "Adreno 7c+ Gen 3", "adreno-618": "FD618"}
GALLIUM_ENVIRONMENT = {}  # what its OpenGL driver needs besides
GL_KNOWN = {  # scenes of tests/gl that are left out, and why
    "geometry_shader": "not run since the model has geometry shaders",
    "tessellation": "not run since the model has tessellation",
    "tessellation_geometry": "as tessellation",
    "edge_flags": "freedreno's compiler in 22.3.6 dies of edge flags",
    "textured": "the model has no alpha test, which only OpenGL's old pipeline asks for",
    "stipples": "freedreno draws lines and polygons without stipples",
    "feedback_buffers": "freedreno 22.3.6 leaves stream out on for the draws after it, which write into the buffers that they read",
}
ZINK_LACKS = "Zink offers OpenGL 3.3 on our driver, the scenes ask for 4.5"  # why Zink on our driver cannot draw the scenes of tests/gl
GL_RENDERER = "Adreno"  # how the name begins that OpenGL programs see

# A DRM format modifier of these GPUs, and nothing that a program could read as rows of pixels.
TILED_MODIFIER = "0x0500000000000001"

# Sizes of a subgroup that a program may ask for, the usual one first.
SUBGROUP_SIZES = (128, 64)

# A report of a lost context points at an instruction: any, one of the endless loop of device_lost.comp, and its load.
INSTRUCTION = r"(?:\([\w#]+\))*[a-z][\w.]*"
LOOP = re.compile(r"(?:\([\w#]+\))*(jump|br|bany|ball|braa|brao|getone|nop|mov|cmps|and|or|add|atomic|ldib|stib|predt|prede)")
LOAD = re.compile(r"(?:\([\w#]+\))*(ldg|ldib|isam|ldc)")
