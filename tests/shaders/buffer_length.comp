#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// The length of an array at run time.
// run 1 1 1
layout(local_size_x = 64) in;

void main()
{
    put(ID, uint(result.words.length()) * 10000u + uint(second.words.length()) + ID);
}
