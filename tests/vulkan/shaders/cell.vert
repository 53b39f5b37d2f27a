#version 450
/* 64 cells of 4 by 4 pixels: a vertex is a cell's middle, and has its number in red. */
layout(location = 0) out vec4 color;
#if WHAT == 1 /* what a geometry shader reads beside it */
layout(location = 1) out vec4 elements[3];
layout(location = 4) out Block {
    flat ivec2 pair;
    vec3 triple[2];
} block;
layout(location = 8, component = 1) out vec2 packed;
layout(location = 9) flat out dvec3 wide;
out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
};
#endif
#if WHAT == 2
layout(location = 1) out vec4 many[29];
#endif
void main()
{
    int cell = gl_VertexIndex & 63;
    gl_Position = vec4(float(cell & 7) * 0.25 - 0.875, float(cell >> 3) * 0.25 - 0.875, 0.5, 1);
    color = vec4(cell, 100, 0, 255) / 255.0;
#if WHAT == 1
    for (int i = 0; i < 3; i++)
        elements[i] = vec4(cell + i, 10 * i, i, 255) / 255.0;
    block.pair = ivec2(cell, -cell);
    block.triple[0] = vec3(cell) / 255.0;
    block.triple[1] = vec3(1, 2, 3) / 255.0;
    packed = vec2(cell, 7) / 255.0;
    wide = dvec3(cell, 0.5LF, -3.0LF);
    gl_PointSize = float(cell) + 0.5;
    gl_ClipDistance[0] = float(cell);
    gl_ClipDistance[1] = 2.0;
#endif
#if WHAT == 2
    for (int i = 0; i < 29; i++)
        many[i] = vec4(cell, i, 1, 2) / 255.0;
#endif
}
