#version 460
// draw 3 1 1 tolerance 0.01
// A vertex shader that samples, fetches and writes a buffer.
#extension GL_GOOGLE_include_directive : require
#include "images.glsl"
layout(location = 0) out vec4 value;
layout(set = 0, binding = 3, std430) buffer Second { vec4 values[]; } second;
void main()
{
    vec2 corner = vec2(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0);
    gl_Position = vec4(corner, 0.75, 1.0);
    vec4 texel = textureLod(sampler2D(plane, linear), corner * 0.3, 0.0);
    second.values[gl_VertexIndex] = texel + float(texelFetch(usampler2D(words_plane, nearest), ivec2(gl_VertexIndex), 0).x % 16u);
    value = texel + imageLoad(floats_image, ivec2(gl_VertexIndex));
}
