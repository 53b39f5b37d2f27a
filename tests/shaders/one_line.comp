#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// The shortest shader that does anything.
// run 1 1 1
layout(local_size_x = 64) in;

void main() { put(ID, ID); }
