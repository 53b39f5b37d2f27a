#version 450
/* Corners of two patches that are the whole screen together. POINTS is how many each of them has. */
void main()
{
#if POINTS == 3
    const vec2 corners[6] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(-1, 1), vec2(1, 1), vec2(-1, 1), vec2(1, -1));
#else
    const vec2 corners[8] = vec2[](vec2(-1, -1), vec2(0, -1), vec2(0, 1), vec2(-1, 1), vec2(0, -1), vec2(1, -1), vec2(1, 1), vec2(0, 1));
#endif
    gl_Position = vec4(corners[gl_VertexIndex], 0.5, 1);
}
