#version 460
// run 1 1 1 rig
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// Clocks only go forward. Their values are not compared.
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
#include "common.glsl"
layout(local_size_x = 64) in;
void main()
{
    uvec2 a = clock2x32ARB(), c = clockRealtime2x32EXT();
    uint sum = 0u;
    for (uint i = 0u; i < 10u + in_u(ID) % 10u; i++)
        sum += in_u(i * sum);
    uvec2 b = clock2x32ARB(), d = clockRealtime2x32EXT();
    put(ID * 2u, b.y > a.y || (b.y == a.y && b.x >= a.x));
    put(ID * 2u + 1u, d.y > c.y || (d.y == c.y && d.x >= c.x));
    put(ID + 256u, sum);
}
