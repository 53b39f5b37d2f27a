/* Points, lines, triangles: how vertices become primitives, and primitives pixels. */
#include "gl.h"

#define COLORED                                                                                                        \
    "layout(location = 0) in vec4 place;\n"                                                                            \
    "layout(location = 1) in vec4 color;\n"                                                                            \
    "out vec4 shade;\n"                                                                                                \
    "void main() { gl_Position = place; shade = color; }\n"
#define SHADED "in vec4 shade;\nout vec4 result;\nvoid main() { result = shade; }\n"

struct vertex {
    float place[4], color[4];
};

static void bind_vertices(const struct vertex *vertices, size_t count)
{
    gl_buffer(GL_ARRAY_BUFFER, vertices, count * sizeof(*vertices));
    gl_attribute(0, 4, sizeof(*vertices), offsetof(struct vertex, place));
    gl_attribute(1, 4, sizeof(*vertices), offsetof(struct vertex, color));
}

static void triangle(void)
{
    static const struct vertex vertices[] = {
        {{-0.8f, -0.7f, 0, 1}, {1, 0, 0, 1}}, {{0.9f, -0.5f, 0, 1}, {0, 1, 0, 1}}, {{0.1f, 0.85f, 0, 1}, {0, 0, 1, 1}}};
    gl_use(COLORED, SHADED);
    bind_vertices(vertices, LENGTH(vertices));
    gl_fill();
}

/* Colours follow the perspective; a part lies behind the eye. */
static void perspective(void)
{
    static const struct vertex vertices[] = {{{-2, -1, 0.2f, 2}, {1, 0, 0, 1}},  {{2, -1, 0.2f, 1}, {0, 1, 0, 1}},
                                             {{0.5f, 3, 0.2f, 4}, {0, 0, 1, 1}}, {{-1, 0.2f, 0, 1}, {1, 1, 0, 1}},
                                             {{1, 0.5f, 0, 1}, {0, 1, 1, 1}},    {{0, 2, 0, -0.5f}, {1, 0, 1, 1}}};
    gl_use(COLORED, SHADED);
    bind_vertices(vertices, LENGTH(vertices));
    glDrawArrays(GL_TRIANGLES, 0, 6);
}

static void culling(void)
{
    static const char vertex[] = "out vec4 shade;\n"
                                 "void main() {\n"
                                 "    int tri = gl_VertexID / 3, corner = gl_VertexID % 3;\n"
                                 "    if ((tri & 1) == 1 && corner != 0) corner = 3 - corner;\n"
                                 "    vec2 center = vec2(tri % 4, tri / 4) * 0.5 - 0.75;\n"
                                 "    float angle = 2.0 * 3.14159265 * float(corner) / 3.0 + 0.3;\n"
                                 "    gl_Position = vec4(center + vec2(cos(angle), sin(angle)) * 0.22, 0.0, 1.0);\n"
                                 "    shade = vec4(float(corner) * 0.5, float(tri) / 16.0, 0.5, 1.0);\n"
                                 "}\n";
    gl_use(vertex,
           "in vec4 shade;\nout vec4 result;\nvoid main() { result = gl_FrontFacing ? shade : 1.0 - shade; }\n");
    glDrawArrays(GL_TRIANGLES, 0, 12);
    glEnable(GL_CULL_FACE);
    glDrawArrays(GL_TRIANGLES, 12, 12);
    glCullFace(GL_FRONT);
    glDrawArrays(GL_TRIANGLES, 24, 12);
    glFrontFace(GL_CW);
    glDrawArrays(GL_TRIANGLES, 36, 12);
}

static void points(void)
{
    static const char vertex[] = "out float kind;\n"
                                 "void main() {\n"
                                 "    kind = float(gl_VertexID);\n"
                                 "    gl_Position = vec4(float(gl_VertexID % 5) * 0.4 - 0.8,\n"
                                 "                       float(gl_VertexID / 5) * 0.4 - 0.8, 0.0, 1.0);\n"
                                 "    gl_PointSize = 1.0 + float(gl_VertexID) * 2.0;\n"
                                 "}\n";
    static const char fragment[] = "in float kind;\nout vec4 result;\n"
                                   "void main() {\n"
                                   "    vec2 from_center = gl_PointCoord - 0.5;\n"
                                   "    if (kind > 12.0 && dot(from_center, from_center) > 0.25) discard;\n"
                                   "    result = vec4(gl_PointCoord, kind / 25.0, 1.0);\n"
                                   "}\n";
    gl_use(vertex, fragment);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glEnable(GL_POINT_SPRITE);
    glDrawArrays(GL_POINTS, 0, 25);
}

static void lines(void)
{
    static const char vertex[] = "out vec4 shade;\n"
                                 "uniform vec2 center;\n"
                                 "void main() {\n"
                                 "    float angle = float(gl_VertexID / 2) * 0.5236 + 0.11;\n"
                                 "    float far = (gl_VertexID & 1) == 0 ? 0.08 : 0.42;\n"
                                 "    gl_Position = vec4(center + far * vec2(cos(angle), sin(angle)), 0.0, 1.0);\n"
                                 "    shade = vec4(far * 2.0, 1.0 - far, float(gl_VertexID) / 24.0, 1.0);\n"
                                 "}\n";
    static const float centers[4][2] = {{-0.5f, -0.5f}, {0.5f, -0.5f}, {-0.5f, 0.5f}, {0.5f, 0.5f}};
    GLuint program = gl_use(vertex, SHADED);
    for (int i = 0; i < 4; i++) {
        gl_uniform(program, "center", 2, centers[i], 1);
        glLineWidth(1 + (float)i * 3);
        glDrawArrays(i == 3 ? GL_LINE_LOOP : GL_LINES, 0, 24);
    }
}

static void strips(void)
{
    static const char vertex[] =
        "layout(location = 0) in vec2 place;\n"
        "flat out vec4 shade;\n"
        "void main() {\n"
        "    gl_Position = vec4(place, 0.0, 1.0);\n"
        "    shade = vec4(float(gl_VertexID % 4) / 3.0, float(gl_VertexID % 3) / 2.0, 0.6, 1.0);\n"
        "}\n";
    static const char fragment[] = "flat in vec4 shade;\nout vec4 result;\nvoid main() { result = shade; }\n";
    float places[40][2];
    for (int i = 0; i < 40; i++) {
        places[i][0] = -0.95f + 0.047f * (float)i;
        places[i][1] = (i & 1 ? 0.3f : 0) + (float)(i * 7 % 5) * 0.03f;
    }
    GLushort indices[60], at = 0, last = 0xffff;
    for (GLushort i = 0; i < 40; i++) {
        indices[at++] = i;
        if (i % 7 == 6)
            indices[at++] = last;
    }
    gl_use(vertex, fragment);
    gl_buffer(GL_ARRAY_BUFFER, places, sizeof(places));
    gl_attribute(0, 2, sizeof(places[0]), 0);
    gl_buffer(GL_ELEMENT_ARRAY_BUFFER, indices, sizeof(indices));
    glEnable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
    glViewport(0, 128, GL_SIZE, 128);
    glDrawElements(GL_TRIANGLE_STRIP, at, GL_UNSIGNED_SHORT, NULL);
    glViewport(0, 64, GL_SIZE, 128);
    glDrawElements(GL_LINE_STRIP, at, GL_UNSIGNED_SHORT, NULL);
    glViewport(0, 0, GL_SIZE, 128);
    glDrawElementsBaseVertex(GL_TRIANGLE_FAN, 20, GL_UNSIGNED_SHORT, NULL, 10);
}

static void instances(void)
{
    static const char vertex[] = "layout(location = 0) in vec2 place;\n"
                                 "layout(location = 1) in vec3 moved;\n"
                                 "layout(location = 2) in vec4 color;\n"
                                 "out vec4 shade;\n"
                                 "void main() {\n"
                                 "    gl_Position = vec4(place * moved.z + moved.xy, 0.0, 1.0);\n"
                                 "    shade = color + vec4(0.0, 0.0, float(gl_InstanceID) / 50.0, 0.0);\n"
                                 "}\n";
    static const float corners[3][2] = {{-1, -1}, {1, -0.8f}, {0, 1}};
    float data[49][7];
    for (int i = 0; i < 49; i++) {
        const float one[7] = {(float)(i % 7) * 0.28f - 0.84f,
                              (float)(i / 7) * 0.28f - 0.84f,
                              0.06f + (float)i * 0.0015f,
                              (float)(i % 3) / 2,
                              (float)(i % 5) / 4,
                              0.1f,
                              1};
        for (int k = 0; k < 7; k++)
            data[i][k] = one[k];
    }
    gl_use(vertex, SHADED);
    gl_buffer(GL_ARRAY_BUFFER, corners, sizeof(corners));
    gl_attribute(0, 2, sizeof(corners[0]), 0);
    gl_buffer(GL_ARRAY_BUFFER, data, sizeof(data));
    gl_attribute(1, 3, sizeof(data[0]), 0);
    gl_attribute(2, 4, sizeof(data[0]), 3 * sizeof(float));
    glVertexAttribDivisor(1, 1);
    glVertexAttribDivisor(2, 2);
    glDrawArraysInstanced(GL_TRIANGLES, 0, 3, 49);
}

static void geometry_shader(void)
{
    static const char vertex[] = "void main() {\n"
                                 "    gl_Position = vec4(float(gl_VertexID % 4) * 0.5 - 0.75,\n"
                                 "                       float(gl_VertexID / 4) * 0.5 - 0.75, 0.0, 1.0);\n"
                                 "}\n";
    static const char geometry[] =
        "layout(points, invocations = 2) in;\n"
        "layout(triangle_strip, max_vertices = 8) out;\n"
        "out vec4 shade;\n"
        "void main() {\n"
        "    for (int i = 0; i < 8; i++) {\n"
        "        float angle = float(i) * 0.7 + float(gl_InvocationID) * 3.0;\n"
        "        float far = (i & 1) == 0 ? 0.05 : 0.22;\n"
        "        gl_Position = gl_in[0].gl_Position + far * vec4(cos(angle), sin(angle), 0.0, 0.0);\n"
        "        shade = vec4(float(i) / 7.0, float(gl_PrimitiveIDIn) / 16.0,\n"
        "                     float(gl_InvocationID), 1.0);\n"
        "        EmitVertex();\n"
        "        if (i == 3) EndPrimitive();\n"
        "    }\n"
        "}\n";
    gl_use_stages((const char *const[GL_STAGES]){vertex, NULL, NULL, geometry, SHADED});
    glDrawArrays(GL_POINTS, 0, 16);
}

#define PATCH                                                                                                          \
    "out vec2 corner;\n"                                                                                               \
    "void main() { corner = vec2(gl_VertexID & 1, gl_VertexID >> 1 & 1) * 1.7 - 0.85; }\n"

/* A square whose outer levels differ, bent, so that its points are seen. */
static void tessellation(void)
{
    static const char control[] = "layout(vertices = 4) out;\n"
                                  "in vec2 corner[];\n"
                                  "out vec2 held[];\n"
                                  "patch out vec4 tint;\n"
                                  "void main() {\n"
                                  "    held[gl_InvocationID] = corner[gl_InvocationID];\n"
                                  "    tint = vec4(0.2, 0.1, 0.4, 1.0);\n"
                                  "    gl_TessLevelOuter[0] = 7.3; gl_TessLevelOuter[1] = 4.8;\n"
                                  "    gl_TessLevelOuter[2] = 12.0; gl_TessLevelOuter[3] = 1.0;\n"
                                  "    gl_TessLevelInner[0] = 6.1; gl_TessLevelInner[1] = 9.0;\n"
                                  "}\n";
    static const char evaluation[] =
        "layout(quads, fractional_odd_spacing, ccw) in;\n"
        "in vec2 held[];\n"
        "patch in vec4 tint;\n"
        "out vec4 shade;\n"
        "void main() {\n"
        "    vec2 at = mix(mix(held[0], held[1], gl_TessCoord.x), mix(held[2], held[3], gl_TessCoord.x), "
        "gl_TessCoord.y);\n"
        "    float far = dot(at, at);\n"
        "    gl_Position = vec4(at * (1.0 - 0.2 * far), 0.0, 1.0);\n"
        "    shade = tint + vec4(gl_TessCoord.xy * 0.7, 0.5 - 0.5 * cos(9.0 * far), 0.0);\n"
        "}\n";
    gl_use_stages((const char *const[GL_STAGES]){PATCH, control, evaluation, NULL, SHADED});
    glPatchParameteri(GL_PATCH_VERTICES, 4);
    glDrawArrays(GL_PATCHES, 0, 4);
}

/* Every stage there is: a geometry shader pulls the tessellator's triangles apart and adds a second layer. */
static void tessellation_geometry(void)
{
    static const char control[] =
        "layout(vertices = 3) out;\n"
        "in vec2 corner[];\n"
        "out vec2 held[];\n"
        "void main() {\n"
        "    held[gl_InvocationID] = corner[gl_InvocationID] * 1.1;\n"
        "    gl_TessLevelOuter[0] = 3.0; gl_TessLevelOuter[1] = 5.4; gl_TessLevelOuter[2] = 8.0;\n"
        "    gl_TessLevelInner[0] = 6.7;\n"
        "}\n";
    static const char evaluation[] = "layout(triangles, fractional_even_spacing, ccw) in;\n"
                                     "in vec2 held[];\n"
                                     "out vec4 tone;\n"
                                     "void main() {\n"
                                     "    gl_Position = vec4(held[0] * gl_TessCoord.x + held[1] * gl_TessCoord.y + "
                                     "held[2] * gl_TessCoord.z, 0.0, 1.0);\n"
                                     "    tone = vec4(gl_TessCoord, 1.0);\n"
                                     "}\n";
    static const char geometry[] =
        "layout(triangles, invocations = 2) in;\n"
        "layout(triangle_strip, max_vertices = 3) out;\n"
        "in vec4 tone[];\n"
        "out vec4 shade;\n"
        "void main() {\n"
        "    vec4 middle = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0;\n"
        "    float size = gl_InvocationID == 0 ? 0.8 : 0.35;\n"
        "    for (int i = 0; i < 3; i++) {\n"
        "        gl_Position = mix(middle, gl_in[i].gl_Position, size);\n"
        "        shade = gl_InvocationID == 0 ? tone[i] : 1.0 - tone[i];\n"
        "        EmitVertex();\n"
        "    }\n"
        "}\n";
    gl_use_stages((const char *const[GL_STAGES]){PATCH, control, evaluation, geometry, SHADED});
    glPatchParameteri(GL_PATCH_VERTICES, 3);
    glDrawArrays(GL_PATCHES, 0, 3);
}

static void clip_distances(void)
{
    static const char vertex[] = "out vec4 shade;\n"
                                 "out float gl_ClipDistance[2];\n"
                                 "void main() {\n"
                                 "    vec2 at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 3.6 - 0.9;\n"
                                 "    gl_Position = vec4(at, 0.0, 1.0);\n"
                                 "    gl_ClipDistance[0] = 0.7 - at.x - 0.3 * at.y;\n"
                                 "    gl_ClipDistance[1] = at.y + 0.61 + 0.2 * at.x;\n"
                                 "    shade = vec4(at * 0.5 + 0.5, 0.3, 1.0);\n"
                                 "}\n";
    gl_use(vertex, SHADED);
    glEnable(GL_CLIP_DISTANCE0);
    glEnable(GL_CLIP_DISTANCE1);
    gl_fill();
}

/* Outlines and corners of triangles. */
static void fill_modes(void)
{
    static const char vertex[] = "out vec4 shade;\n"
                                 "void main() {\n"
                                 "    float angle = float(gl_VertexID) * 0.6283;\n"
                                 "    float far = gl_VertexID == 0 ? 0.0 : 0.85;\n"
                                 "    gl_Position = vec4(far * cos(angle) + 0.01, far * sin(angle) + 0.02, 0.0, 1.0);\n"
                                 "    shade = vec4(float(gl_VertexID) / 10.0, 0.8, 0.4, 1.0);\n"
                                 "}\n";
    gl_use(vertex, SHADED);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glViewport(0, 0, GL_SIZE / 2, GL_SIZE);
    glDrawArrays(GL_TRIANGLE_FAN, 0, 11);
    glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
    glPointSize(6);
    glViewport(GL_SIZE / 2, 0, GL_SIZE / 2, GL_SIZE);
    glDrawArrays(GL_TRIANGLE_FAN, 0, 11);
}

/* More than a GPU with bins may have memory for at a time: layers of squares, some by depth, some blended in order. */
static void draw_crowd(void)
{
    static const char vertex[] =
        "out vec4 shade;\n"
        "void main() {\n"
        "    int i = gl_InstanceID, corner = gl_VertexID;\n"
        "    uint n = uint(i) * 2654435761u;\n"
        "    vec2 place = vec2(float(n >> 24), float(n >> 16 & 255u)) + vec2(corner & 1, corner >> 1) * float(4 + i % "
        "13);\n"
        "    float depth = float(n >> 8 & 65535u) / 65536.0;\n"
        "    shade = vec4(float(i & 7) / 7.0, float(n >> 13 & 15u) / 15.0, float(i) / 12288.0, 0.25);\n"
        "    gl_Position = vec4(place / 128.0 - 1.0, depth, 1.0);\n"
        "}\n";
    gl_use(vertex, SHADED);
    glEnable(GL_DEPTH_TEST);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 12288);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 4096);
}

const struct gl_scene gl_geometry_scenes[] = {
    {"triangle", triangle, true},
    {"perspective", perspective, true},
    {"culling", culling, true},
    {"points", points, false},
    {"lines", lines, true},
    {"strips", strips, true},
    {"instances", instances, true},
    {"crowd", draw_crowd, true},
    {"geometry_shader", geometry_shader, true},
    {"tessellation", tessellation, true},
    {"tessellation_geometry", tessellation_geometry, true},
    {"clip_distances", clip_distances, false},
    {"fill_modes", fill_modes, false},
    {0},
};
