#version 460
// draw 6 1 1 tolerance 0.02 judge mesa
#extension GL_GOOGLE_include_directive : require
#extension GL_ARB_sparse_texture_clamp : require
// Levels that are never finer than one's own limit.
#include "images.glsl"
layout(location = 0) out vec4 colour;
void main()
{
    vec2 c = gl_FragCoord.xy / 16.0;
    colour = textureClampARB(sampler2D(plane, linear), c, 1.5) + textureGradClampARB(sampler2D(plane, linear), c, vec2(0.0625, 0.0), vec2(0.0, 0.0625), 0.75);
    colour.xy += textureClampARB(sampler2DShadow(depth_plane, comparing), vec3(c, 0.51), 0.0);
}
