#version 450
/* Points in several streams, each of which is captured into a buffer of its own number; FIRST is the first of them. Those of stream 0 are drawn, a pixel
 * each. */
layout(points) in;
layout(invocations = INVOCATIONS) in;
layout(points, max_vertices = 24) out;

layout(location = 0) flat in uint id[];

#if FIRST == 0
layout(location = 0, stream = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 20) flat out uvec4 value0;
#else
layout(location = 0, stream = 0) flat out uvec4 value0;
#endif
#if STREAMS > 1
layout(location = 1, stream = 1, xfb_buffer = 1, xfb_offset = 4, xfb_stride = 24) flat out uvec4 value1;
#endif
#if STREAMS > 2
layout(location = 2, stream = 2, xfb_buffer = 2, xfb_offset = 8, xfb_stride = 28) flat out uvec4 value2;
#endif
#if STREAMS > 3
layout(location = 3, stream = 3, xfb_buffer = 3, xfb_offset = 12, xfb_stride = 32) flat out uvec4 value3;
#endif

#define EMIT(s)                                                                                                        \
    if ((id[0] + n * 3 + s * 5) % 4 < 2 && (s != 0 || id[0] % 3 != 0)) {                                               \
        gl_Position = vec4((id[0] % 16 + 0.5) / 8 - 1, (id[0] / 16 % 16 + 0.5) / 8 - 1, 0.5, 1);                       \
        gl_PointSize = 1;                                                                                              \
        value##s = uvec4(id[0], n, s, gl_InvocationID);                                                                \
        EmitStreamVertex(s);                                                                                           \
        EndStreamPrimitive(s);                                                                                         \
    }

void main()
{
    for (uint n = 0; n < 6; n++) {
        EMIT(0)
#if STREAMS > 1
        EMIT(1)
#endif
#if STREAMS > 2
        EMIT(2)
#endif
#if STREAMS > 3
        EMIT(3)
#endif
    }
}
