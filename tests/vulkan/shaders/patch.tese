#version 450
/* A cell of 4 by 4 pixels for each patch, with what its control shader found in green and blue. */
layout(quads, equal_spacing, ccw) in;
layout(location = 0) in vec4 passed[];
layout(location = 0) out vec4 color;
#if WHAT == 4
layout(location = 1) in float other[];
#elif WHAT == 5
layout(location = 1) patch in vec4 whole[4];
layout(location = 5) patch in int last;
#elif WHAT == 7
layout(location = 1) patch in ivec4 numbers;
#elif WHAT == 10
layout(location = 1) in vec4 many_out[][14];
layout(location = 15) patch in vec4 many_of_patch[6];
#elif WHAT == 11
layout(location = 1) in dvec2 wide_out[];
layout(location = 2) in ivec2 pair_out[];
layout(location = 3) in mat3 matrix_out[];
layout(location = 6) patch in double sum;
layout(location = 7) patch in Patch {
    uvec2 pair;
    float list[3];
} block_of_patch;
in gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
} gl_in[gl_MaxPatchVertices];
#elif WHAT == 13
layout(set = 0, binding = 1, std430) readonly buffer Words {
    float words[];
};
layout(push_constant) uniform Push {
    float add;
} push;
#elif WHAT == 15
out gl_PerVertex {
    vec4 gl_Position;
    float gl_ClipDistance[1];
};
#elif WHAT == 16
layout(xfb_buffer = 0, xfb_stride = 16, xfb_offset = 0, location = 1) out vec4 captured;
#endif
void main()
{
    int cell = gl_PrimitiveID & 63;
    float green = 0.0, blue = 0.0;
#if WHAT == 17
    cell = int(passed[0].x) / 3; /* not by the primitive's number: lavapipe counts anew after a restart */
#elif WHAT == 8
    cell += int(passed[0].y) * 16;
#endif
    for (int i = 0; i < OUT; i++)
        green += float(OUT > 8 ? 1 : i + 1) * passed[i].x;
#if WHAT == 8 || WHAT == 14
    green = 100.0;
#elif WHAT == 17
    green = 98.0 + passed[2].x - passed[0].x;
#elif WHAT == 4
    for (int i = 0; i < OUT; i++)
        blue += float(i + 1) * (other[i] + passed[i].y);
#elif WHAT == 5
    for (int i = 0; i < 4; i++)
        green += whole[(i + cell) & 3].y;
    blue = float(last);
#elif WHAT == 6
    green = gl_TessLevelOuter[0] * 10.0 + gl_TessLevelOuter[3];
    blue = gl_TessLevelInner[0] * 10.0 + gl_TessLevelInner[1];
#elif WHAT == 7
    green = float(numbers.x + gl_PatchVerticesIn);
    blue = float(numbers.y);
#elif WHAT == 10
    green = 0.0;
    for (int i = 0; i < 14; i++)
        green += many_out[i % 3][i].y;
    for (int i = 0; i < 6; i++)
        blue += many_of_patch[i].y;
#elif WHAT == 11
    float first = float(gl_PrimitiveID * 3);
    green = float(wide_out[0].x) - first + float(pair_out[1].x) - first + matrix_out[2][1][2] + float(wide_out[1].y) * 4.0;
    blue = float(sum) - first + gl_in[1].gl_PointSize - first + gl_in[0].gl_ClipDistance[0] + block_of_patch.list[2] + float(block_of_patch.pair.x);
#elif WHAT == 13
    green += words[cell & 3];
    blue = push.add;
#endif
    gl_Position = vec4((float(cell & 7) + gl_TessCoord.x) * 0.25 - 1.0, (float(cell >> 3) + gl_TessCoord.y) * 0.25 - 1.0, 0.5, 1);
    color = vec4(cell, green, blue, 255) / 255.0;
#if WHAT == 15
    gl_ClipDistance[0] = 0.5 - gl_TessCoord.x;
#elif WHAT == 16
    captured = vec4(cell, gl_TessCoord.xy, 1);
#endif
}
