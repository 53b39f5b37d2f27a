#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A shader without an effect.
// run 1 1 1
layout(local_size_x = 64) in;

void main()
{
}
