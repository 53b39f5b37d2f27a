"""What tests for any GPU need to know of this family: Mesa's drivers, which judge its models, and how its models' reports read."""
import re

# Mesa's Vulkan driver by its name in run_on.py and by that of the loader's file, and its OpenGL driver; the variables that run_on.py's
# switches set; how each driver calls a GPU.
VULKAN, VULKAN_ICD, GALLIUM = "panvk", "panfrost_icd", "panfrost"
CORPUS_JUDGE = "panvk-26.1"  # of subgroups in tests/shaders: 25.0.7 has few of them
CORPUS_JUDGE_HANGS = ("integer_functions_comp",)  # its compiler does not come to an end
VULKAN_SWITCHES = {"flags": "PANVK_DEBUG"}
VULKAN_ENVIRONMENT = {"PAN_I_WANT_A_BROKEN_VULKAN_DRIVER": "1"}  # releases before 25.1 ask for it on this GPU
VULKAN_NAMES = {"mali-g610": "Mali-G610"}
GALLIUM_NAMES = {"mali-g610": "Mali-G610"}
# Panfrost offers OpenGL 3.3 and ES 3.1; most scenes need no more, though all ask for 4.5 and 3.2.
GALLIUM_ENVIRONMENT = {"PAN_MESA_DEBUG": "gl3", "MESA_GL_VERSION_OVERRIDE": "4.5COMPAT", "MESA_GLSL_VERSION_OVERRIDE": "450", "MESA_GLES_VERSION_OVERRIDE": "3.2",
                       # A tiler heap of a megabyte, which some scenes exhaust.
                       "pan_csf_chunk_size": "262144", "pan_csf_initial_chunks": "1", "pan_csf_max_chunks": "4",
                       "MESA_EXTENSION_OVERRIDE": "+GL_ARB_compute_shader +GL_ARB_shader_image_load_store +GL_ARB_shader_storage_buffer_object"}
GL_KNOWN = {  # scenes of tests/gl that are left out, and why
    "geometry_shader": "panfrost has no geometry shaders",
    "tessellation": "panfrost has no tessellation",
    "tessellation_geometry": "as tessellation",
    "fill_modes": "the hardware fills polygons, and panfrost draws neither their lines nor their points",
    "edge_flags": "as fill_modes",
    "stipples": "panfrost draws lines and polygons without stipples",
    "transform_feedback": "panfrost draws nothing where the count comes from a transform feedback object",
    "feedback_buffers": "panfrost's transform feedback has each vertex of a strip once",
}
ZINK_LACKS = "Zink offers OpenGL 2.1 on our driver, the scenes ask for 4.5"  # why Zink on our driver cannot draw the scenes of tests/gl
GL_RENDERER = "Mali"  # how the name begins that OpenGL programs see

# A DRM format modifier of these GPUs, and nothing that a program could read as rows of pixels: U-interleaved tiles of 16x16.
TILED_MODIFIER = "0x0810000000000001"

# Sizes of a subgroup that a program may ask for, the usual one first.
SUBGROUP_SIZES = (16,)

# A report of a lost context points at an instruction: any, one of the endless loop of device_lost.comp, and its load.
INSTRUCTION = r"[A-Z][A-Z0-9_]+(?:\.[a-z0-9_]+)*"
LOOP = re.compile(r"(BRANCHZ|JUMP|NOP|MOV|ICMP|IADD|ATOM|LOAD|STORE|LSHIFT|MUX|CSEL)")
LOAD = re.compile(r"LOAD|LD_")

# What is left out on our own driver, and why: programs of tests/wsi, scenes of tests/scenes.
WINDOWS_LEFT_OUT = {"es2tri": "it calls a function of ES 3, which Zink offers with transform feedback alone: the hardware has none"}
SCENES_LEFT_OUT = {
    "planet": "clip distances are not offered: the hardware has none",
    "wires": "the hardware fills polygons and draws neither their lines nor their points",
}
# Streams of several queues that are written while they are read (tests/programs).
REPLAY_WAITS = True
