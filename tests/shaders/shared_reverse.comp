#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A workgroup turns its words around.
// run 4 1 1
layout(local_size_x = 64) in;

shared uint words[64];

void main()
{
    words[LANE] = in_u(ID);
    barrier();
    put(ID, words[63u - LANE]);
}
