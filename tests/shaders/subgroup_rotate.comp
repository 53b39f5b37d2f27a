#version 460
// run 1 1 1 judge mesa twin rotate_twin_comp
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// Rotation of lanes (SPV_KHR_subgroup_rotate), within the subgroup and within clusters; rotate_twin.comp says the same by shuffles.
#extension GL_KHR_shader_subgroup_basic : require
#include "common.glsl"
#define ROTATE spirv_instruction(extensions = ["SPV_KHR_subgroup_rotate"], capabilities = [6026], id = 4431)
ROTATE uint rotate(uint scope, uint x, uint by);
ROTATE uint rotate_cluster(uint scope, uint x, uint by, uint size);
layout(local_size_x = 128) in;
void main()
{
    uint n = ID * 4u, a = in_u(ID);
    put(n, rotate(3u, a, 1u));
    put(n + 1u, rotate(3u, a, push.words[1]));
    put(n + 2u, rotate_cluster(3u, a, 3u, 8u));
    put(n + 3u, rotate_cluster(3u, a, push.words[0], 16u));
}
