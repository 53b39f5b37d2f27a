#version 450
/* Outputs into three of four buffers, with holes: built-ins and members of blocks, arrays, numbers. Every three vertices one after the other cover the
 * screen. */
layout(xfb_buffer = 0, xfb_stride = 32) out;
layout(xfb_buffer = 1, xfb_stride = 24) out;
layout(xfb_buffer = 3, xfb_stride = 8) out;

layout(xfb_buffer = 0, xfb_offset = 0) out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
};
layout(location = 0, xfb_buffer = 0, xfb_offset = 28) flat out uint number;
layout(location = 1, xfb_buffer = 1, xfb_offset = 4) out vec2 pairs[2];
layout(location = 3) out vec4 not_captured;
layout(location = 4, xfb_buffer = 1) out Tail {
    float before;
    layout(xfb_offset = 20) float tail;
};
layout(location = 6, xfb_buffer = 3, xfb_offset = 0) flat out uvec2 ids;

#ifdef ATTRIBUTE
layout(location = 0) in uint told; /* of an instance */
#endif

void main()
{
    uint v = uint(gl_VertexIndex), i = uint(gl_InstanceIndex);
#ifdef ATTRIBUTE
    i = told;
#endif
    gl_Position = vec4(v % 3 == 1 ? 3 : -1, v % 3 == 2 ? 3 : -1, 0.5, 1);
    gl_PointSize = 1;
    number = v * 1000 + i;
    pairs[0] = vec2(v, i);
    pairs[1] = vec2(v + 0.5, i + 0.25);
    not_captured = vec4(7);
    before = 3;
    tail = -float(v);
    ids = uvec2(v, i);
}
