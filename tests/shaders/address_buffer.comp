#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#include "common.glsl"

// A buffer reached by its address.
// run 4 1 1
layout(local_size_x = 64) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words {
    uint words[];
};

void main()
{
    Words there = Words(push.address);
    uint x = there.words[ID];
    there.words[512u + ID] = x + ID;
    put(ID, x * 3u);
}
