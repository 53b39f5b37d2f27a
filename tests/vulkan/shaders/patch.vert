#version 450
/* Control points: each has its number and its instance's. */
layout(location = 0) out vec4 value;
#if WHAT == 10
layout(location = 1) out vec4 many[14];
#endif
#if WHAT == 11
layout(location = 1) out dvec2 wide;
layout(location = 2) out Block {
    ivec2 pair;
    vec3 triple[2];
} block;
layout(location = 5, component = 1) out vec2 packed;
layout(location = 6) out mat3 matrix;
out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
};
#endif
void main()
{
    float number = float(gl_VertexIndex);
    value = vec4(number, gl_InstanceIndex, 0.25, 1);
    gl_Position = vec4(number, 2, 3, 4);
#if WHAT == 10
    for (int i = 0; i < 14; i++)
        many[i] = vec4(number, i, i + 1, 2);
#endif
#if WHAT == 11
    wide = dvec2(gl_VertexIndex, 0.5LF);
    block.pair = ivec2(gl_VertexIndex, -gl_VertexIndex);
    block.triple[0] = vec3(1, 2, 3);
    block.triple[1] = vec3(number);
    packed = vec2(7, number);
    matrix = mat3(1, 2, 3, 4, 5, 6, 7, 8, number);
    gl_PointSize = number + 0.5;
    gl_ClipDistance[0] = number;
    gl_ClipDistance[1] = 9;
#endif
}
