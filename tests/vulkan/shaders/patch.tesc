#version 450
/* What control shaders can do, one thing at a time. Each patch says in `passed` and `whole` what it found. */
layout(vertices = OUT) out;
layout(location = 0) in vec4 value[];
layout(location = 0) out vec4 passed[];
#if WHAT == 4
layout(location = 1) out float other[];
#elif WHAT == 5
layout(location = 1) patch out vec4 whole[4];
layout(location = 5) patch out int last;
#elif WHAT == 7
layout(location = 1) patch out ivec4 numbers;
#elif WHAT == 10
layout(location = 1) in vec4 many[][14];
layout(location = 1) out vec4 many_out[][14];
layout(location = 15) patch out vec4 many_of_patch[6];
#elif WHAT == 11
layout(location = 1) in dvec2 wide[];
layout(location = 2) in Block {
    ivec2 pair;
    vec3 triple[2];
} block[];
layout(location = 5, component = 1) in vec2 packed[];
layout(location = 6) in mat3 matrix[];
in gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
} gl_in[gl_MaxPatchVertices];
out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
} gl_out[];
layout(location = 1) out dvec2 wide_out[];
layout(location = 2) out ivec2 pair_out[];
layout(location = 3) out mat3 matrix_out[];
layout(location = 6) patch out double sum;
layout(location = 7) patch out Patch {
    uvec2 pair;
    float list[3];
} block_of_patch;
#endif
#if WHAT == 13
layout(set = 0, binding = 0, std140) uniform Constants {
    vec4 constants[4];
};
layout(push_constant) uniform Push {
    float add;
} push;
#endif
#define id gl_InvocationID
float local(int vertex)
{
    return value[vertex].x - float(gl_PrimitiveID * gl_PatchVerticesIn);
}
void set_levels(float level)
{
    for (int i = 0; i < 4; i++)
        gl_TessLevelOuter[i] = level;
    gl_TessLevelInner[0] = gl_TessLevelInner[1] = level;
}
void main()
{
#if WHAT == 12
    if (id == 1) {
        passed[id] = vec4(5, 0, 0, 0);
        return;
    }
#endif
#if WHAT == 8 || WHAT == 14 || WHAT == 17
    passed[id] = vec4(value[id].x, value[id].y, 0, 0);
#elif WHAT == 1
    float sum = 0.0;
    for (int i = 0; i < gl_PatchVerticesIn; i++)
        sum += float(i + 1) * local(i);
    passed[id] = vec4(sum, 0, 0, 0);
#elif WHAT == 2
    passed[id] = vec4(float(id & 3) + local(0), 0, 0, 0);
#elif WHAT == 3
    float sum = 0.0;
    for (int i = id; i < gl_PatchVerticesIn; i += OUT)
        sum += mod(local(i), 2.0);
    passed[id] = vec4(sum / float(id + 1), 0, 0, 0);
#elif WHAT == 13
    passed[id] = vec4(constants[id].x + push.add, 0, 0, 0);
#else
    passed[id] = vec4(local(id), 0, 0, 0);
#endif
#if WHAT == 4
    barrier();
    other[id] = passed[(id + 1) % OUT].x;
    barrier();
    passed[id].y = other[(id + 2) % OUT];
#endif
#if WHAT == 5
    whole[id] = vec4(id, local(id), 0, 1);
    barrier();
    if (id == 2)
        last = int(whole[3].x + whole[gl_PrimitiveID & 3].x);
#endif
#if WHAT == 7
    if (id == 0)
        numbers = ivec4(gl_PrimitiveID, gl_PatchVerticesIn, id, 0);
#endif
#if WHAT == 10
    for (int i = 0; i < 14; i++)
        many_out[id][i] = many[id][i];
    if (id == 0)
        for (int i = 0; i < 6; i++)
            many_of_patch[i] = many[1][i + 2];
#endif
#if WHAT == 11
    int turned = (id + 1) % OUT;
    wide_out[id] = wide[turned];
    pair_out[id] = block[turned].pair + ivec2(block[id].triple[gl_PrimitiveID & 1].y, packed[id].x);
    matrix_out[id] = matrix[id];
    gl_out[id].gl_Position = gl_in[id].gl_Position;
    gl_out[id].gl_PointSize = gl_in[id].gl_PointSize;
    gl_out[id].gl_ClipDistance[0] = gl_in[id].gl_ClipDistance[1];
    gl_out[id].gl_ClipDistance[1] = gl_in[id].gl_ClipDistance[0];
    if (id == 0) {
        sum = wide[0].x + wide[0].y;
        block_of_patch.pair = uvec2(3, gl_PrimitiveID);
        for (int i = 0; i < 3; i++)
            block_of_patch.list[i] = float(i * 2);
    }
#endif
#if WHAT == 6
    if (id == 0) {
        for (int i = 0; i < 4; i++)
            gl_TessLevelOuter[i] = float(1 + (gl_PrimitiveID + i) % 5);
        gl_TessLevelInner[0] = float(1 + gl_PrimitiveID % 3);
        gl_TessLevelInner[1] = float(1 + gl_PrimitiveID % 7);
    }
#elif WHAT == 9
    if (id == 0) {
        set_levels(2.0);
        int kind = gl_PrimitiveID & 7;
        if (kind == 1)
            gl_TessLevelOuter[2] = 0.0;
        if (kind == 3)
            gl_TessLevelOuter[0] = -1.0;
        if (kind == 5)
            gl_TessLevelOuter[3] = uintBitsToFloat(0x7fc00000u + uint(gl_PrimitiveID));
        if (kind == 6)
            gl_TessLevelInner[0] = -5.0;
    }
#elif WHAT == 12
    if (id == OUT - 1)
        set_levels(float(1 + gl_PrimitiveID % 4));
#else
    if (id == 0)
        set_levels(3.0);
#endif
}
