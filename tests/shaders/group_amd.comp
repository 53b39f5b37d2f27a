#version 460
// run 1 1 1 judge mesa
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// The group operations of SPV_AMD_shader_ballot: of the lanes that are there.
#include "common.glsl"
#define AMD(number) spirv_instruction(extensions = ["SPV_AMD_shader_ballot"], capabilities = [18], id = number)
AMD(5000) uint add_int(uint scope, spirv_literal uint what, uint x);
AMD(5001) float add_float(uint scope, spirv_literal uint what, float x);
AMD(5002) float min_float(uint scope, spirv_literal uint what, float x);
AMD(5003) uint min_uint(uint scope, spirv_literal uint what, uint x);
AMD(5004) int min_int(uint scope, spirv_literal uint what, int x);
AMD(5005) float max_float(uint scope, spirv_literal uint what, float x);
AMD(5006) uint max_uint(uint scope, spirv_literal uint what, uint x);
AMD(5007) int max_int(uint scope, spirv_literal uint what, int x);
layout(local_size_x = 128) in;
void main()
{
    uint n = ID * 16u, a = in_u(ID);
    float x = round(in_f(ID) * 4.0); // small integers: no order of additions shows
    put(n, add_int(3u, 0u, a));
    put(n + 1u, add_float(3u, 1u, x));
    if (a % 3u != 0u) {
        put(n + 2u, min_float(3u, 0u, x));
        put(n + 3u, min_uint(3u, 1u, a));
        put(n + 4u, min_int(3u, 2u, int(a)));
        put(n + 5u, max_float(3u, 2u, x));
        put(n + 6u, max_uint(3u, 0u, a));
        put(n + 7u, max_int(3u, 1u, int(a)));
    }
}
