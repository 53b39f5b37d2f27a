#version 450
/* Strips of several lengths, captured into two of four buffers with holes. Any three vertices one after the other cover the screen. */
#ifndef DOUBLES
#define DOUBLES 0
#endif
layout(INPUT) in;
layout(invocations = INVOCATIONS) in;
layout(OUTPUT, max_vertices = 8) out;

layout(xfb_buffer = 0, xfb_stride = 32) out;
layout(xfb_buffer = 2, xfb_stride = 24) out;

layout(location = 0) flat in uint id[];

layout(xfb_buffer = 0, xfb_offset = 0) out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
};
layout(location = 0, xfb_buffer = 0, xfb_offset = 20) flat out uvec2 tag;
layout(location = 1) out vec4 not_captured;
layout(location = 2, xfb_buffer = 2, xfb_offset = 0) flat out uint ids[2];
#if DOUBLES
layout(location = 4, xfb_buffer = 2, xfb_offset = 8) flat out dvec2 wide;
#else
layout(location = 4, xfb_buffer = 2, xfb_offset = 12) flat out uvec3 wide;
#endif

void main()
{
    uint count = (id[0] * 5 + gl_InvocationID * 2) % 8, strip = 2 + id[0] % 4;
    for (uint n = 0; n < count; n++) {
        gl_Position = vec4(n % 3 == 1 ? 3 : -1, n % 3 == 2 ? 3 : -1, 0.5, 1);
        gl_PointSize = 1;
        tag = uvec2(id[0], n * 256 + gl_InvocationID);
        not_captured = vec4(7);
        ids[0] = id[0];
        ids[1] = id[id.length() - 1];
#if DOUBLES
        wide = dvec2(n + 0.5, id[0]);
#else
        wide = uvec3(n, gl_PrimitiveIDIn, 77);
#endif
        EmitVertex();
        if (n % strip == strip - 1)
            EndPrimitive();
    }
}
