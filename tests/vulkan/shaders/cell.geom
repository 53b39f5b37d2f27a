#version 450
/* Cells of 4 by 4 pixels, in many ways. A pixel is 1/16 wide in clip coordinates. */
#define QUAD 0
#define TWO_TRIANGLES 1
#define LONG_STRIP 2
#define POINTS 3
#define LARGE_POINT 4
#define LINES 5
#define LINE_STRIP 6
#define SOME 7
#define NOTHING 8
#define TOO_FEW 9
#define PIXELS 10
#define LAST_WINS 11
#define SPLIT 12
#define MOST 13
#define COUNTED 14
#define LAYERS 15
#define VIEWPORTS 16
#define NUMBERS 17
#define CLIP 18
#define CULL 19
#define INPUTS 20
#define MANY 21
#define RESOURCES 22
#define FLAT 23
#define FLAT_LINES 24
#ifndef INVOCATIONS
#define INVOCATIONS 1
#endif
layout(points, invocations = INVOCATIONS) in;
layout(OUTPUT, max_vertices = VERTICES) out;
layout(location = 0) in vec4 in_color[];
#if WHAT == MOST /* no room for more than a position */
vec4 color;
out gl_PerVertex {
    vec4 gl_Position;
};
#elif WHAT == FLAT || WHAT == FLAT_LINES
layout(location = 0) flat out vec4 color;
#else
layout(location = 0) out vec4 color;
#endif

#if WHAT == CLIP
out float gl_ClipDistance[DISTANCES];
#endif

const float pixel = 1.0 / 16.0;
vec2 middle;

void emit(vec2 place)
{
    gl_Position = vec4(middle + place * pixel, 0.5, 1);
    EmitVertex();
}

void rectangle(vec2 from, vec2 to, vec4 with)
{
    for (int i = 0; i < 4; i++) {
        color = with;
        emit(vec2((i & 1) == 0 ? from.x : to.x, (i & 2) == 0 ? from.y : to.y));
    }
    EndPrimitive();
}

vec4 bytes(int r, int g, int b)
{
    return vec4(r, g, b, 255) / 255.0;
}

#if WHAT == INPUTS
layout(location = 1) in vec4 elements[][3];
layout(location = 4) in Block {
    flat ivec2 pair;
    vec3 triple[2];
} block[];
layout(location = 8, component = 1) in vec2 packed[];
layout(location = 9) flat in dvec3 wide[];
in gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
} gl_in[];
#endif
#if WHAT == MANY
layout(location = 1) in vec4 in_many[][29];
layout(location = 1) out vec4 many[29];
#endif
#if WHAT == RESOURCES
layout(push_constant) uniform Push {
    int first, second;
};
layout(binding = 0) buffer Words {
    uint words[];
};
layout(binding = 1) uniform sampler2D image;
#endif

void main()
{
    int cell = int(in_color[0].x * 255.0 + 0.5);
    middle = gl_in[0].gl_Position.xy;
#if WHAT == QUAD
    rectangle(vec2(-2), vec2(2), in_color[0]);
#elif WHAT == TWO_TRIANGLES
    const vec2 corners[4] = vec2[](vec2(-2, -2), vec2(2, -2), vec2(-2, 2), vec2(2, 2));
    for (int i = 0; i < 6; i++) {
        color = in_color[0];
        emit(corners[i < 3 ? i : 6 - i]);
        if (i == 2)
            EndPrimitive();
    }
#elif WHAT == LONG_STRIP
    for (int i = 0; i < 10; i++) {
        color = in_color[0];
        emit(vec2(i >> 1, (i & 1) * 4) - 2.0);
    }
#elif WHAT == POINTS
    for (int i = 0; i < 16; i++) {
        color = bytes(cell, i, 0);
        gl_PointSize = 1.0;
        emit(vec2(i & 3, i >> 2) - 1.5);
    }
#elif WHAT == LARGE_POINT
    color = in_color[0];
    gl_PointSize = 4.0;
    emit(vec2(0));
#elif WHAT == LINES
    for (int i = 0; i < 2; i++) {
        for (int end = 0; end < 2; end++) {
            color = in_color[0];
            emit(vec2(end * 4 - 2, i * 2 - 1.5));
        }
        EndPrimitive();
    }
#elif WHAT == LINE_STRIP
    color = in_color[0];
    emit(vec2(-2, -1.5));
    color = in_color[0];
    emit(vec2(1.5, -1.5));
    color = in_color[0];
    emit(vec2(1.5, 2));
#elif WHAT == SOME
    if ((cell & 1) == 0)
        rectangle(vec2(-2), vec2(2), in_color[0]);
#elif WHAT == NOTHING
    if (cell == 64)
        rectangle(vec2(-2), vec2(2), in_color[0]);
#elif WHAT == TOO_FEW
    color = in_color[0];
    emit(vec2(-2));
    color = in_color[0];
    emit(vec2(2, -2));
    EndPrimitive();
    rectangle(vec2(0), vec2(2), in_color[0]);
    color = in_color[0];
    emit(vec2(-2, 2));
    color = in_color[0];
    emit(vec2(2, 2));
#elif WHAT == PIXELS
    vec2 at = vec2(gl_InvocationID & 3, gl_InvocationID >> 2) - 2.0;
    rectangle(at, at + 1.0, bytes(cell, gl_InvocationID, 0));
#elif WHAT == LAST_WINS
    rectangle(vec2(-2), vec2(2), bytes(cell, gl_InvocationID, 0));
#elif WHAT == SPLIT
    for (int i = 0; i < VERTICES / 4; i++)
        rectangle(vec2(-2), vec2(2), bytes(cell, gl_InvocationID, i));
#elif WHAT == MOST
    for (int i = 0; i < 64; i++) {
        middle = vec2(float(i & 7) * 0.25 - 0.875, float(i >> 3) * 0.25 - 0.875);
        for (int k = 0; k < 4; k++)
            emit(vec2((k & 1) * 4 - 2, (k & 2) * 2 - 2));
        EndPrimitive();
    }
#elif WHAT == COUNTED
    for (int i = 0; i <= cell % 4; i++)
        rectangle(vec2(i - 2, -2), vec2(i - 1, 2), bytes(cell, i, 0));
#elif WHAT == LAYERS
    for (int i = 0; i < 4; i++) {
        gl_Layer = (cell + gl_InvocationID) & 3;
        color = in_color[0];
        emit(vec2((i & 1) * 4 - 2, (i & 2) * 2 - 2));
    }
#elif WHAT == VIEWPORTS
    for (int i = 0; i < 4; i++) {
        gl_ViewportIndex = cell & 3;
        color = in_color[0];
        emit(vec2((i & 1) * 4 - 2, (i & 2) * 2 - 2));
    }
#elif WHAT == NUMBERS
    for (int i = 0; i < 4; i++) {
        gl_PrimitiveID = gl_PrimitiveIDIn + 3;
        gl_Layer = cell & 3;
        gl_ViewportIndex = cell & 1;
        color = in_color[0];
        emit(vec2((i & 1) * 4 - 2, (i & 2) * 2 - 2));
    }
#elif WHAT == CLIP
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < DISTANCES; k++)
            gl_ClipDistance[k] = k == cell % (DISTANCES + 1) ? ((i & 1) == 0 ? 2.0 : -2.0) : 1.0;
        color = in_color[0];
        emit(vec2((i & 1) * 4 - 2, (i & 2) * 2 - 2));
    }
#elif WHAT == CULL
    for (int i = 0; i < 4; i++) {
        gl_CullDistance[0] = (cell & 1) == 0 ? -1.0 : 1.0;
        gl_CullDistance[1] = (cell & 2) == 0 && (i & 1) == 0 ? -1.0 : 1.0;
        gl_ClipDistance[0] = (cell & 4) == 0 ? 1.0 : -1.0;
        color = in_color[0];
        emit(vec2((i & 1) * 4 - 2, (i & 2) * 2 - 2));
    }
#elif WHAT == INPUTS
    int at = int(gl_in[0].gl_ClipDistance[0]) % 3;
    bool right = elements[0][at] == vec4(cell + at, 10 * at, at, 255) / 255.0 && block[0].pair == ivec2(cell, -cell) &&
                 block[0].triple[0] == vec3(cell) / 255.0 && block[0].triple[1] == vec3(1, 2, 3) / 255.0 &&
                 packed[0] == vec2(cell, 7) / 255.0 && wide[0] == dvec3(cell, 0.5LF, -3.0LF) &&
                 gl_in[0].gl_PointSize == float(cell) + 0.5 && gl_in[0].gl_ClipDistance[1] == 2.0;
    rectangle(vec2(-2), vec2(2), bytes(cell, right ? 200 : 10, at));
#elif WHAT == MANY
    for (int i = 0; i < 4; i++) {
        color = in_color[0];
        for (int k = 0; k < 29; k++)
            many[k] = in_many[0][k];
        emit(vec2((i & 1) * 4 - 2, (i & 2) * 2 - 2));
    }
#elif WHAT == RESOURCES
    uint before = atomicAdd(words[64 + cell], uint(first));
    vec4 texel = textureLod(image, vec2(0.5), 0.0);
    rectangle(vec2(-2), vec2(2), vec4(float(words[cell]) / 255.0, texel.g, float(second) / 255.0, before % 5u == 0u ? 1.0 : 0.0));
#elif WHAT == FLAT
    for (int i = 0; i < 4; i++) {
        color = bytes(cell, i, 0);
        emit(vec2((i & 1) * 4 - 2, (i & 2) * 2 - 2));
    }
#elif WHAT == FLAT_LINES
    for (int i = 0; i < 3; i++) {
        color = bytes(cell, i, 0);
        emit(vec2(i * 2 - 2, -1.5));
    }
#endif
}
