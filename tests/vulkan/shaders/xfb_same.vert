#version 450
/* Blocks of which each goes to a buffer of its own, and that have numbers in common: a compiler may keep one register for those. */
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 24) out Block {
    vec3 first;
    vec3 second;
} blocks[4];

void main()
{
    gl_Position = vec4(0, 0, 0, 1);
    gl_PointSize = 1;
    blocks[0].first = vec3(1, 2, 3);
    blocks[0].second = vec3(4, 5, 6);
    blocks[1].first = vec3(4, 5, 6);
    blocks[1].second = vec3(7, 2, 3);
    blocks[2].first = vec3(1, 2, 3);
    blocks[2].second = vec3(1, 2, 8);
    blocks[3].first = vec3(9, 9, 9);
    blocks[3].second = vec3(4, 5, 6);
}
