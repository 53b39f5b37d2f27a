#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A convolution with weights of the uniform block.
// run 4 4 1 tolerance 1e-4
layout(local_size_x = 8, local_size_y = 8) in;

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    float sum = 0.0;
    for (int y = -2; y <= 2; y++) {
        for (int x = -2; x <= 2; x++) {
            ivec2 p = clamp(at + ivec2(x, y), ivec2(0), ivec2(31));
            uint weight = uint((y + 2) * 5 + x + 2);
            sum += in_f(uint(p.y * 32 + p.x)) * block.floats[weight / 4u][weight % 4u];
        }
    }
    put(uint(at.y * 32 + at.x), sum / 25.0);
}
