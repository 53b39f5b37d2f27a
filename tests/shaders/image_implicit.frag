#version 460
// draw 6 1 1 tolerance 0.02
#extension GL_GOOGLE_include_directive : require
// Sampling where derivatives choose the level: bias, offsets, projection, comparison, and the level itself.
#include "images.glsl"
layout(location = 0) in vec4 place;
layout(location = 2) noperspective in vec4 straight;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 1, std430) buffer Output { uint words[]; } unused;
layout(set = 0, binding = 3, std430) buffer Second { vec4 values[]; } second;
void main()
{
    vec2 c = gl_FragCoord.xy / 16.0;
    uint lane = uint(gl_FragCoord.x) + uint(gl_FragCoord.y) * 16u;
    float reference = float(lane % 16u) / 16.0 + 0.03125;
    vec4 sum[8];
    sum[0] = texture(sampler2D(plane, nearest), c);
    sum[1] = texture(sampler2D(plane, linear), c * 1.5, 1.25);
    sum[2] = textureOffset(sampler2D(plane, linear), c, ivec2(3, -2));
    sum[3] = textureProj(sampler2D(plane, linear), vec3(c * 2.0, 2.0));
    sum[4] = textureProjOffset(sampler2D(plane, nearest), vec4(c * 3.0, 1.0, 3.0), ivec2(-1, 1), 1.0);
    sum[5] = vec4(texture(sampler2DShadow(depth_plane, comparing), vec3(c, reference)), textureProj(sampler2DShadow(depth_plane, comparing), vec4(c * 2.0, reference * 2.0, 2.0)),
                  textureOffset(sampler2DShadow(depth_plane, comparing), vec3(c, reference), ivec2(2, 2)), texture(sampler2DArrayShadow(depth_planes, comparing), vec4(c, 1.0, reference)));
    sum[6] = vec4(textureQueryLod(sampler2D(plane, linear), c * 3.0), textureQueryLod(sampler2D(plane, linear), c * 0.25));
    sum[7] = texture(sampler3D(volume, nearest), vec3(c, 0.4)) + texture(samplerCube(cube, nearest), vec3(c - 0.51, 1.0)) + texture(sampler1D(line, linear), c.x);
    vec4 all = vec4(0.0);
    for (uint i = 0u; i < 8u; i++)
        all += sum[i] * float(i + 1u);
    colour = all / 36.0;
    if (lane < 32u) {
        for (uint i = 0u; i < 8u; i++)
            second.values[lane * 8u + i] = sum[i];
    }
}
