#version 450
/* What transform feedback captures: built-ins that are arrays, structures, matrices, doubles, parts of a location, an array of blocks, of which each
 * has a buffer of its own. */
struct Mixed {
    float one;
    dvec2 two;
    vec3 three[2];
};
/* Begins at a multiple of eight bytes, for there are doubles in it. */
struct Outer {
    float zero;
    Mixed mixed;
};
layout(xfb_buffer = 0, xfb_stride = 128) out;
layout(xfb_buffer = 1, xfb_stride = 24) out;
layout(xfb_buffer = 2, xfb_stride = 40) out;
layout(xfb_buffer = 0, xfb_offset = 0) out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[5];
};
layout(location = 0, xfb_buffer = 0, xfb_offset = 40) flat out Outer outer;
layout(location = 8, component = 1, xfb_buffer = 0, xfb_offset = 112) out vec2 part;
layout(location = 9, xfb_buffer = 1, xfb_offset = 8) out Each {
    float first;
    vec3 second;
} each[2];
layout(location = 14) out vec4 not_captured;

void main()
{
    gl_Position = vec4(1);
    gl_PointSize = 2;
    for (int i = 0; i < 5; i++)
        gl_ClipDistance[i] = 3;
    outer = Outer(3, Mixed(4, dvec2(5), vec3[2](vec3(6), vec3(7))));
    part = vec2(8);
    for (int i = 0; i < 2; i++) {
        each[i].first = 9;
        each[i].second = vec3(10);
    }
    not_captured = vec4(11);
}
