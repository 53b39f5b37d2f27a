#version 450
/* A point of a patch where it belongs, and in a list. */
#ifdef POINT_MODE
layout(DOMAIN, SPACING, ORDER, point_mode) in;
#else
layout(DOMAIN, SPACING, ORDER) in;
#endif
layout(set = 0, binding = 0, std430) buffer List {
    uint count;
    uint pad[3];
    uvec4 points[];
} list;
layout(location = 0) out vec4 color;
void main()
{
    precise vec4 position;
#if POINTS == 3
    position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
#else
    precise vec4 low = (1.0 - gl_TessCoord.x) * gl_in[0].gl_Position + gl_TessCoord.x * gl_in[1].gl_Position;
    precise vec4 high = (1.0 - gl_TessCoord.x) * gl_in[3].gl_Position + gl_TessCoord.x * gl_in[2].gl_Position;
    position = (1.0 - gl_TessCoord.y) * low + gl_TessCoord.y * high;
#endif
    gl_Position = position;
#ifdef POINT_MODE
    gl_PointSize = 1.0;
    gl_Position.xy *= 0.9; /* away from the edges of the viewport */
#endif
    color = vec4(1.0 / 255.0);
    uint at = atomicAdd(list.count, 1u);
    if (at < list.points.length())
        list.points[at] = uvec4(floatBitsToUint(gl_TessCoord), gl_PrimitiveID);
}
