#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Push constants by constant and by computed index.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    put(ID * 3u + 0u, push.words[2] + push.words[7]);
    put(ID * 3u + 1u, push.words[ID & 7u]);
    put(ID * 3u + 2u, push.floats[gl_WorkGroupID.x]);
}
